/** Another host, behind a router: a network namespace with an address that nobody here has. */

export const FAR_ADDRESS = '9.9.9.9'
/** Its address in a network that this machine has too. */
export const NEAR_ADDRESS = '10.222.9.2'

const sh = (script: string): string =>
  Bun.spawnSync(['sh', '-c', script], { stdout: 'ignore' }).stderr.toString()

const SERVER = `
socket(my $s, AF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in(0, INADDR_ANY)); listen($s, 5);
my ($port) = sockaddr_in(getsockname($s)); $| = 1; print "$port\\n";
while (accept(my $c, $s)) { print $c "far away\\n"; close $c }`

export type FarHost = { readonly port: number; close(): void }

/** Opens a host that says `far away` to each connection. Needs root and perl. */
export async function openFarHost(): Promise<FarHost> {
  const name = `hearth${process.pid}`
  const device = name.slice(0, 12)
  const close = (): void => void sh(`ip netns del ${name}; ip link del ${device}a`)
  const fault = sh(
    [
      `ip netns add ${name}`,
      `ip link add ${device}a type veth peer name ${device}b netns ${name}`,
      `ip addr add 10.222.9.1/30 dev ${device}a && ip link set ${device}a up`,
      `ip -n ${name} addr add ${NEAR_ADDRESS}/30 dev ${device}b`,
      `ip -n ${name} link set ${device}b up && ip -n ${name} link set lo up`,
      `ip -n ${name} addr add ${FAR_ADDRESS}/32 dev lo`,
      `ip route add ${FAR_ADDRESS}/32 via ${NEAR_ADDRESS}`,
    ].join(' && '),
  )
  const host = Bun.spawn(['ip', 'netns', 'exec', name, 'perl', '-MSocket', '-e', SERVER], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const end = (): void => {
    host.kill()
    close()
  }
  const { value } = await host.stdout.getReader().read()
  const port = Number(Buffer.from(value ?? []).toString())
  if (fault !== '' || !(port > 0)) {
    end()
    throw new Error(`another host could not be made: ${fault}`)
  }
  return { port, close: end }
}
