"""Dulwich as a client: `<action> <directory> <address> <user> <password> [ref]`; ends with 3 for what it cannot do."""
import sys

from dulwich import porcelain
from dulwich.repo import Repo

action, directory, url, user, password, *rest = sys.argv[1:]
auth = {"username": user, "password": password}
quiet = porcelain.NoneStream()
if action == "version":
    import dulwich
    print(".".join(str(part) for part in dulwich.__version__))
elif action == "clone":
    porcelain.clone(url, directory, bare=True, checkout=False, errstream=quiet, **auth)
elif action == "shallow":
    porcelain.clone(url, directory, bare=True, checkout=False, depth=1, errstream=quiet, **auth)
elif action == "filter":
    porcelain.clone(url, directory, bare=True, checkout=False, filter_spec="blob:none", protocol_version=2, errstream=quiet, **auth)
elif action == "fetch":
    porcelain.fetch(Repo(directory), url, errstream=quiet, outstream=quiet, **auth)
    from dulwich.client import get_transport_and_path
    client, path = get_transport_and_path(url, **auth)
    repo = Repo(directory)
    for name, oid in client.fetch(path, repo).refs.items():
        if name.startswith(b"refs/") and not name.endswith(b"^{}"):
            repo.refs[name] = oid
elif action == "push":
    porcelain.push(Repo(directory), url, [rest[0] + ":" + rest[0]], outstream=quiet, errstream=quiet, **auth)
else:
    sys.exit(3)
