/**
 * Ways out of the sandbox in which the built-in agent runs commands. Each command succeeds where it
 * gets out. It is of no use where a program that it needs is missing, so these are named.
 */
export type Place = { readonly data: string; readonly port: string; readonly pid: number }

export type WayOut = {
  readonly what: string
  readonly programs: readonly string[]
  readonly command: (place: Place) => string
  /** It succeeds outside of the sandbox and harms nothing there, so the walls are what stops it. */
  readonly control?: true
}

const perl = (code: string): string => `perl -e '${code}'`

/** A system call by its number on x86-64. */
const systemCall = (...numbers: readonly (number | string)[]): string =>
  perl(`exit(syscall(${numbers.join(',')}) >= 0 ? 0 : 1)`)

type Rest = Pick<WayOut, 'programs' | 'control'>
export const way = (what: string, command: WayOut['command'], rest: Rest): WayOut => ({
  what,
  command,
  ...rest,
})
const sh: Rest = { programs: [] }

const NETWORK: readonly WayOut[] = [
  way('a connection of the shell', ({ port }) => `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`, {
    programs: ['bash'],
    control: true,
  }),
  way('HTTP to this machine', ({ port }) => `curl -s -m 3 http://127.0.0.1:${port}/v1/models`, {
    programs: ['curl'],
    control: true,
  }),
  way(
    'HTTP by the name of this machine',
    ({ port }) => `curl -s -m 3 http://localhost:${port}/v1/models`,
    { programs: ['curl'] },
  ),
  way('the addresses of the cloud', () => 'curl -s -m 3 http://169.254.169.254/latest/meta-data/', {
    programs: ['curl'],
  }),
  way('another site', () => 'curl -s -m 3 https://example.com/', { programs: ['curl'] }),
  way('a proxy', () => 'curl -s -m 3 --proxy http://10.0.0.1:3128 http://example.com/', {
    programs: ['curl'],
  }),
  way('a name', () => 'getent hosts example.com', { programs: ['getent'] }),
  way(
    'a socket of a program',
    ({ port }) =>
      perl(
        `use Socket; socket(S,PF_INET,SOCK_STREAM,0); exit(connect(S,sockaddr_in(${port},inet_aton("127.0.0.1"))) ? 0 : 1)`,
      ),
    { programs: ['perl'], control: true },
  ),
  way(
    'a datagram to a name server',
    () =>
      perl(
        'use Socket; socket(S,PF_INET,SOCK_DGRAM,0); exit(send(S,"x",0,sockaddr_in(53,inet_aton("8.8.8.8"))) ? 0 : 1)',
      ),
    { programs: ['perl'] },
  ),
  way('raw packets', () => perl('exit(socket(S,17,3,768) ? 0 : 1)'), { programs: ['perl'] }),
  way('raw messages of the network', () => perl('exit(socket(S,2,3,1) ? 0 : 1)'), {
    programs: ['perl'],
  }),
  way('sockets of virtual machines', () => perl('exit(socket(S,40,1,0) ? 0 : 1)'), {
    programs: ['perl'],
  }),
  way('the ciphers of the kernel', () => perl('exit(socket(S,38,5,0) ? 0 : 1)'), {
    programs: ['perl'],
  }),
  way('an interface of its own', () => 'ip link add dummy0 type dummy', { programs: ['ip'] }),
  way('an address for the interface', () => 'ip address add 10.9.9.9/24 dev lo', {
    programs: ['ip'],
  }),
  way('a route', () => 'tail -n +2 /proc/net/route | grep .', { programs: ['tail', 'grep'] }),
  way('a socket in a file', () => 'find / -xdev -type s 2>/dev/null | grep .', {
    programs: ['find', 'grep'],
  }),
  way('a socket without a file', () => "grep '@' /proc/net/unix", { programs: ['grep'] }),
  way('the socket of containers', () => 'test -S /var/run/docker.sock', sh),
]

const FILES: readonly WayOut[] = [
  way('the database', ({ data }) => `cat ${data}/hearth.db`, { programs: ['cat'], control: true }),
  way('the data directory', ({ data }) => `ls ${data}`, { programs: ['ls'], control: true }),
  way('a link to the database', ({ data }) => `ln -s ${data}/hearth.db link; cat link`, {
    programs: ['ln', 'cat'],
    control: true,
  }),
  way('a file in the data directory', ({ data }) => `echo x > ${data}/way-out`, {
    programs: [],
    control: true,
  }),
  way(
    'the database through the root of a process',
    ({ data, pid }) =>
      `cat /proc/${pid}/root${data}/hearth.db || cat /proc/1/root${data}/hearth.db`,
    { programs: ['cat'], control: true },
  ),
  way('the home of root', () => 'ls -A /root | grep .', { programs: ['ls', 'grep'] }),
  way('homes of people', () => 'ls -A /home/* | grep .', { programs: ['ls', 'grep'] }),
  way('passwords of the machine', () => 'cat /etc/shadow', { programs: ['cat'] }),
  way('settings of the machine', () => 'echo x > /etc/way-out', sh),
  way('programs of the machine', () => 'echo x > /usr/bin/way-out', sh),
  way(
    'a program with the rights of root',
    () => 'cp /bin/sh /tmp/sh && chown 0 /tmp/sh && chmod u+s /tmp/sh && /tmp/sh -p -c true',
    { programs: ['cp', 'chown', 'chmod'] },
  ),
]

const PROCESSES: readonly WayOut[] = [
  way('the environment of its parent', () => "tr '\\0' '\\n' < /proc/1/environ | grep -i hearth", {
    programs: ['tr', 'grep'],
  }),
  way(
    'the server among the processes',
    ({ pid }) => `test -d /proc/${pid}/fd && ls -l /proc/${pid}/exe | grep -i -E 'bun|hearth'`,
    {
      programs: ['ls', 'grep'],
      control: true,
    },
  ),
  way('open files of the server', ({ data }) => `ls -l /proc/*/fd | grep -F '${data}'`, {
    programs: ['ls', 'grep'],
    control: true,
  }),
  way(
    'a signal to the server',
    ({ pid }) => `kill -0 ${pid} && ls -l /proc/${pid}/exe | grep -i -E 'bun|hearth'`,
    {
      programs: ['ls', 'grep'],
      control: true,
    },
  ),
  way('memory of the server', ({ pid }) => `head -c 1 /proc/${pid}/mem || head -c 1 /proc/1/mem`, {
    programs: ['head'],
  }),
  way('the environment', () => "env | grep -i -E 'hearth_|sk-test|api_key'", {
    programs: ['env', 'grep'],
    control: true,
  }),
  way('a trace of the server', ({ pid }) => systemCall(101, 16, pid, 0, 0), { programs: ['perl'] }),
]

const KERNEL: readonly WayOut[] = [
  way('a file system', () => 'mount -t tmpfs none /mnt', { programs: ['mount'] }),
  way('a mount of the host', () => 'mount -o remount,rw /usr', { programs: ['mount'] }),
  way('the end of a mount', () => 'umount /proc', { programs: ['umount'] }),
  way('a device', () => 'mknod /tmp/disk b 8 0', { programs: ['mknod'] }),
  way('memory of the machine', () => 'dd if=/dev/mem of=/dev/null count=1', { programs: ['dd'] }),
  way('messages of the kernel', () => 'dd if=/dev/kmsg of=/dev/null count=1', {
    programs: ['dd'],
  }),
  way('users of its own', () => 'unshare -U true', { programs: ['unshare'] }),
  way('mounts of its own', () => 'unshare -m true', { programs: ['unshare'] }),
  way('a network of its own', () => 'unshare -n true', { programs: ['unshare'] }),
  way('the namespaces of its parent', () => 'nsenter -t 1 -m true', { programs: ['nsenter'] }),
  way('another root', () => 'chroot / true', { programs: ['chroot'] }),
  way('a program of the kernel (bpf)', () => systemCall(321, 0, 0, 0), { programs: ['perl'] }),
  way('keys of the kernel', () => systemCall(250, 0, -3, 0), { programs: ['perl'] }),
  way('faults handled by the program', () => systemCall(323, 0), { programs: ['perl'] }),
  way('counters of the kernel', () => systemCall(298, 0, 0, -1, -1, 0), { programs: ['perl'] }),
  way('the name of the machine', () => perl('$n="x"; exit(syscall(170, $n, 1) >= 0 ? 0 : 1)'), {
    programs: ['perl'],
  }),
  way('the keys of the console', () => 'echo 1 > /proc/sys/kernel/sysrq', sh),
  way('the handler of crashes', () => "echo '|/bin/sh' > /proc/sys/kernel/core_pattern", sh),
  way('a control group', () => 'echo $$ > /sys/fs/cgroup/cgroup.procs', sh),
]

export const WAYS_OUT: readonly WayOut[] = [...NETWORK, ...FILES, ...PROCESSES, ...KERNEL]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A line that says `MISSING`, `OUT` or `SHUT` with the number of the way. */
export function lineFor({ programs, command }: WayOut, number: number, place: Place): string {
  const needs = programs.map((name) => `command -v ${name} >/dev/null`).join(' && ') || 'true'
  const tried = `timeout 5 sh -c ${quoted(command(place))} >/dev/null 2>&1`
  return `if ! { ${needs}; }; then echo MISSING ${number}; elif ${tried}; then echo OUT ${number}; else echo SHUT ${number}; fi`
}

/** What such lines have said, by the number of the way. */
export const readLines = (text: string): [number, string][] =>
  [...text.matchAll(/^(MISSING|OUT|SHUT) (\d+)$/gm)].map(([, word = '', at]) => [Number(at), word])
