/** Jobs with internet reach neither this machine nor its neighbours, whatever they try. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { nameServersOf, rulesOf, startForwarder } from '#src/runner/network.ts'
import { quote } from '#src/runner/shell.ts'
import { FAR_ADDRESS, NEAR_ADDRESS, openFarHost } from './far-host.ts'
import { makeJobs } from './jobs.ts'
import { hasEnded } from './runners.ts'

const jobs = await makeJobs()

/** Answers on all addresses of this machine, over TCP. */
const server = Bun.listen({
  hostname: '0.0.0.0',
  port: 0,
  socket: { open: (socket) => void socket.end('machine\n'), data: () => {} },
})
const datagrams: string[] = []
const udp = await Bun.udpSocket({
  hostname: '0.0.0.0',
  port: 0,
  socket: { data: (_, data) => void datagrams.push(data.toString()) },
})
afterAll(() => {
  server.stop(true)
  udp.close()
})

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []))

const sh = (command: string) => Bun.spawnSync(['/bin/sh', '-c', command])

/** Connects as a socket does, and bound to the device, which passes by rules of routing. */
const CONNECT = `use Socket; use strict;
my ($host, $port, $device) = @ARGV;
socket(my $s, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
setsockopt($s, SOL_SOCKET, 25, "$device\\0") or die "bind: $!" if $device;
$SIG{ALRM} = sub { die "timeout\\n" }; alarm 3;
connect($s, sockaddr_in($port, inet_aton($host))) or die "refused: $!\\n";
print "connected ", scalar <$s>;`
const SEND = `use Socket; use strict;
my ($host, $port, $device) = @ARGV;
socket(my $s, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
setsockopt($s, SOL_SOCKET, 25, "$device\\0") or die "bind: $!" if $device;
send($s, "from a job to $host", 0, sockaddr_in($port, inet_aton($host))); print "sent\\n";`

const connect = (host: string, port: number, device = '') =>
  `perl -e ${quote(CONNECT)} ${host} ${port} ${device} 2>&1`
const send = (host: string, port: number, device = '') =>
  `perl -e ${quote(SEND)} ${host} ${port} ${device} 2>&1`

test('a job with internet cannot reach addresses of the machine, its gateway or private networks', async () => {
  expect(await jobs.runner.internetFault()).toBeNull()
  // The attempts are sound: with the network of the machine they succeed.
  const control = await jobs.begin({ network: 'machine' })
  for (const host of own)
    expect((await control.step(connect(host, server.port))).text).toBe('connected machine\n')
  await control.step(send(own[0] ?? '', udp.port))
  expect(datagrams.length).toBe(1)

  const { step } = await jobs.begin({ network: 'internet' })
  const found = (await step('ip -4 -o addr show tap0')).text
  const prefix = /inet (\d+\.\d+\.\d+)\.100\/24/.exec(found)?.[1]
  expect(prefix).toBeDefined()
  const gateways = [`${prefix}.2`, `${prefix}.3`]
  const neighbours = ['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1']
  for (const device of ['', 'tap0'])
    for (const host of [...own, ...gateways, ...neighbours])
      expect((await step(connect(host, server.port, device))).text).not.toContain('connected')
  for (const device of ['', 'tap0'])
    for (const host of [...own, ...gateways, '255.255.255.255'])
      await step(send(host, udp.port, device))
  expect(datagrams.length).toBe(1)
}, 120_000)

test('a job with internet cannot take the rules away', async () => {
  const { step } = await jobs.begin({ network: 'internet' })
  const { text } = await step(
    'ip rule del pref 20 2>&1; ip route add 10.0.0.0/8 dev tap0 2>&1; ip link add d0 type dummy 2>&1; unshare -Urn true 2>&1; ip rule | grep -c unreachable',
  )
  expect(text.match(/not permitted|denied|No space left/gi)?.length ?? 0).toBeGreaterThanOrEqual(3)
  expect(Number(text.trim().split('\n').at(-1))).toBeGreaterThanOrEqual(9)
  const hosts = '127.0.0.1 localhost hearth.localhost\n::1 localhost\n'
  expect((await step('cat /etc/hosts')).text).toBe(hosts)
})

test('the forwarder ends with its job', async () => {
  // Jobs of other tests have theirs at the same time.
  const forwarders = (): string[] => {
    const all = sh('ps -eo pid=,ppid=,comm=').stdout.toString().trim().split('\n')
    const rows = all.map((row) => row.trim().split(/\s+/))
    const parents = new Map(rows.map(([pid = '', parent = '']) => [pid, parent]))
    const isOurs = (pid: string): boolean =>
      pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid) ?? ''))
    return rows.flatMap(([pid = '', , name]) => (name === 'slirp4netns' && isOurs(pid) ? pid : []))
  }
  const before = forwarders()
  const { step, close } = await jobs.begin({ network: 'internet' })
  await step('true')
  const [forwarder = '', ...others] = forwarders().filter((pid) => !before.includes(pid))
  expect([forwarder === '', others]).toEqual([false, []])
  await close()
  while (existsSync(`/proc/${forwarder}`)) await Bun.sleep(10)
})

test('a forwarder that waits ends with the shell that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-forwarder-'))
  const shell = Bun.spawn(['/bin/sh', '-c', `${startForwarder(folder)}\nkill -9 $$`])
  await shell.exited
  expect(await hasEnded(folder)).toBe(true)
  rmSync(folder, { recursive: true })
})

test.if(process.getuid?.() === 0)(
  'a job with internet reaches hosts beyond the neighbours',
  async () => {
    const host = await openFarHost()
    try {
      const { step } = await jobs.begin({ network: 'internet' })
      expect((await step(connect(FAR_ADDRESS, host.port))).text).toBe('connected far away\n')
      expect((await step(connect(NEAR_ADDRESS, host.port))).text).not.toContain('connected')
    } finally {
      host.close()
    }
  },
)

test('name servers on loopback are left out, others are allowed on port 53 alone', () => {
  expect(
    nameServersOf(
      'nameserver 127.0.0.53\nnameserver 10.0.0.1\n# nameserver 1.1.1.1\nnameserver ::1\n',
    ),
  ).toEqual(['10.0.0.1'])
  const rules = rulesOf(['192.0.2.0/24', '10.0.0.0/8'], ['10.0.0.1']).trim().split('\n')
  expect(rules.slice(0, 3)).toEqual([
    'rule add pref 10 to 10.0.0.1 ipproto udp dport 53 lookup main',
    'rule add pref 10 to 10.0.0.1 ipproto tcp dport 53 lookup main',
    'rule add pref 20 to 0.0.0.0/8 unreachable',
  ])
  expect(rules.filter((rule) => rule.includes('10.0.0.0/8')).length).toBe(1)
  expect(rules.at(-1)).toBe('rule add pref 20 to 192.0.2.0/24 unreachable')
})
