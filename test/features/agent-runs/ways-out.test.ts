/** Ways out of the sandbox in which the built-in agent runs commands. None leads anywhere. */
import { expect, test } from 'bun:test'
import { makeRunWorld, use } from './fixture.ts'

const PER_CALL = 11

type Place = { readonly data: string; readonly port: string; readonly pid: number }

const python = (code: string): string => `python3 -c "${code}"`

/** Each succeeds where it gets out. */
const waysOut = ({ data, port, pid }: Place): string[] => [
  // Other machines, this machine, and its cloud.
  `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
  `curl -s -m 3 http://127.0.0.1:${port}/v1/models`,
  'curl -s -m 3 http://169.254.169.254/latest/meta-data/',
  'curl -s -m 3 https://example.com/',
  'curl -s -m 3 --proxy http://10.0.0.1:3128 http://example.com/',
  'getent hosts example.com',
  'ping -c 1 -W 1 1.1.1.1',
  python(`import socket;socket.create_connection(('127.0.0.1',${port}),2)`),
  python(
    "import socket;socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'x',('8.8.8.8',53))",
  ),
  python('import socket;socket.socket(socket.AF_PACKET,socket.SOCK_RAW,3)'),
  'ip link add dummy0 type dummy',
  'tail -n +2 /proc/net/route | grep .',
  'find / -xdev -type s 2>/dev/null | grep .',
  "grep '@' /proc/net/unix",
  'test -S /var/run/docker.sock',
  // Files of the server, of other people and of the machine.
  `cat ${data}/hearth.db`,
  `ls ${data}`,
  `ln -s ${data}/hearth.db link && cat link`,
  `echo x > ${data}/x`,
  'ls -A /root | grep .',
  'ls -A /home/* | grep .',
  'cat /etc/shadow',
  'echo x > /etc/x',
  'echo x > /usr/bin/x',
  'cp /bin/sh /tmp/sh && chmod u+s /tmp/sh && /tmp/sh -p -c "test $(id -u) = 0"',
  // Other processes.
  "tr '\\0' '\\n' < /proc/1/environ | grep -i hearth",
  "cat /proc/*/cmdline | grep -a '[b]un[.]exe'",
  `ls -l /proc/*/fd | grep -F '${data}'`,
  `test -d /proc/${pid} && grep -a bun /proc/${pid}/cmdline`,
  `kill -0 ${pid}`,
  "env | grep -i -E 'hearth_|sk-test|api_key'",
  // Rights of the kernel.
  'mount -t tmpfs none /mnt',
  'umount /proc',
  'mknod /tmp/disk b 8 0',
  'dd if=/dev/mem of=/dev/null count=1',
  'dd if=/dev/kmsg of=/dev/null count=1',
  'unshare -U true',
  'unshare -m true',
  'nsenter -t 1 -m true',
  'chroot / true',
  'sudo -n true',
  python('import ctypes,sys;sys.exit(0 if ctypes.CDLL(None).syscall(321,0,0,0)>=0 else 1)'),
  python('import ctypes,sys;sys.exit(0 if ctypes.CDLL(None).syscall(250,0,-3,0)>=0 else 1)'),
  'echo 1 > /proc/sys/kernel/sysrq',
  'echo $$ > /sys/fs/cgroup/cgroup.procs',
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

test('forty ways out of the sandbox lead nowhere', async () => {
  const ways: string[] = []
  const call = (number: number) => () => {
    const part = ways.slice(number * PER_CALL, (number + 1) * PER_CALL)
    const command = part
      .map(
        (way, at) =>
          `timeout 5 sh -c ${quoted(way)} >/dev/null 2>&1 && echo OUT ${number * PER_CALL + at}`,
      )
      .join('\n')
    return use('run', { command: `${command}\necho tried ${part.length}` })
  }
  const { world, assign, entries, provider } = await makeRunWorld(
    Array.from({ length: 5 }, (_, number) => call(number)),
  )
  const port = new URL(provider.url).port
  ways.push(...waysOut({ data: world.data, port, pid: process.pid }))
  expect(ways.length).toBeGreaterThanOrEqual(40)
  const { pull } = await assign()
  await world.jobs()
  const results = (await entries(pull.number))
    .filter(({ kind }) => kind === 'result')
    .map(({ text }) => text)
  const tried = results.flatMap((text) => Number(/tried (\d+)/.exec(text)?.[1] ?? 0))
  expect(tried.reduce((sum, count) => sum + count, 0)).toBe(ways.length)
  const out = results.flatMap((text) =>
    [...text.matchAll(/OUT (\d+)/g)].map(([, at]) => ways[Number(at)]),
  )
  expect(out).toEqual([])
  // Only the model was asked: no command has reached its server.
  expect(provider.asked.every(({ path }) => path.endsWith('/chat/completions'))).toBe(true)
}, 120_000)
