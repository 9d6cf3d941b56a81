"""paramiko as a transport for git (GIT_SSH with GIT_SSH_VARIANT=simple): `<user@host> <command>`; SSH_KEY and SSH_PORT are in the environment."""
import os
import sys
import threading

import paramiko

if sys.argv[1] == "version":
    print(paramiko.__version__)
    sys.exit()
user, host = sys.argv[1].split("@")
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect(
    host,
    port=int(os.environ["SSH_PORT"]),
    username=user,
    key_filename=os.environ["SSH_KEY"],
    look_for_keys=False,
    allow_agent=False,
)
channel = client.get_transport().open_session()
if os.environ.get("GIT_PROTOCOL"):
    channel.set_environment_variable("GIT_PROTOCOL", os.environ["GIT_PROTOCOL"])
channel.exec_command(sys.argv[2])


def send():
    while chunk := os.read(0, 65536):
        channel.sendall(chunk)
    channel.shutdown_write()


def complain():
    while chunk := channel.recv_stderr(65536):
        os.write(2, chunk)


threading.Thread(target=send, daemon=True).start()
complaints = threading.Thread(target=complain)
complaints.start()
while chunk := channel.recv(65536):
    while chunk:
        chunk = chunk[os.write(1, chunk) :]
complaints.join()
status = channel.recv_exit_status()
client.close()
sys.exit(status)
