/**
 * A network for jobs that reaches the internet, and neither this machine nor its neighbours.
 *
 * The sandbox has a network namespace of its own. slirp4netns gives it a device, and forwards what
 * leaves by that as connections of this machine (https://github.com/rootless-containers/slirp4netns).
 * Rules of the namespace refuse private networks and all networks of this machine's devices. They
 * are set before the rights over the namespace are dropped, so a job cannot remove them.
 *
 * A socket that is bound to the device passes by rules that refuse: Linux then takes every address
 * for a neighbour (ip_route_output_key_hash_rcu). The only neighbours that slirp4netns answers for
 * are its own two addresses. It forwards neither: `--disable-host-loopback` closes the gateway,
 * `--disable-dns` the name server. So jobs ask the name servers of this machine, by their own
 * addresses.
 */
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { quote, quoteAll } from './shell.ts'

/** `none` is a loopback device alone, `machine` is whatever this machine reaches. */
export type Network = 'none' | 'internet' | 'machine'

/** Documentation networks (RFC 5737), which nobody has: one is the network between job and machine. */
const LINK_NETWORKS = ['198.51.100.0/24', '192.0.2.0/24', '203.0.113.0/24']

/**
 * Private, shared, link-local, loopback, multicast and reserved networks (RFC 6890). Clouds give
 * the keys of a machine at link-local addresses.
 */
const REFUSED_NETWORKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

const READY_SECONDS = 10

const RESOLV_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf']

/** The name servers of a `resolv.conf` that a job could reach. */
export const nameServersOf = (text: string): string[] =>
  [...text.matchAll(/^nameserver[ \t]+(\d{1,3}(?:\.\d{1,3}){3})[ \t]*$/gm)]
    .flatMap(([, address]) => address ?? [])
    .filter((address) => !address.startsWith('127.'))
    .slice(0, 3)

/** The name servers of this machine. A resolver on loopback stands before those of systemd. */
function nameServers(): string[] {
  for (const path of RESOLV_FILES) {
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      continue
    }
    const found = nameServersOf(text)
    if (found.length > 0) return found
  }
  return []
}

/** The networks of this machine's devices: its own addresses and its neighbours. */
const machineNetworks = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? [cidr] : [])),
  )

/** The rules as input of `ip -batch`. */
export function rulesOf(own: readonly string[], servers: readonly string[]): string {
  const refused = [...new Set([...REFUSED_NETWORKS, ...own])]
  return [
    ...servers.flatMap((address) =>
      ['udp', 'tcp'].map(
        (protocol) => `rule add pref 10 to ${address} ipproto ${protocol} dport 53 lookup main`,
      ),
    ),
    ...refused.map((network) => `rule add pref 20 to ${network} unreachable`),
    '',
  ].join('\n')
}

/** Files that a job with internet reads in place of those of this machine. */
export type InternetFiles = {
  readonly rules: string
  readonly resolv: string
}

/** The name of the forge in a job. Names below `localhost` never leave a machine (RFC 6761). */
const JOB_DOOR_HOST = 'hearth.localhost'
export const JOB_DOOR_PORT = 47100
/** Where a job reaches the forge: a port of its loopback device, behind which is the door. */
export const JOB_DOOR_URL = `http://${JOB_DOOR_HOST}:${JOB_DOOR_PORT}`

/** The names of machines in a job that does not share the network of this one. */
export const JOB_HOSTS = `127.0.0.1 localhost ${JOB_DOOR_HOST}\n::1 localhost\n`

export const internetFiles = (): InternetFiles => {
  const servers = nameServers()
  return {
    rules: rulesOf(machineNetworks(), servers),
    resolv: servers.map((address) => `nameserver ${address}\n`).join(''),
  }
}

/** The network between job and machine: one that this machine does not have. */
export const linkNetwork = (): string =>
  LINK_NETWORKS.find((network) => {
    const start = network.slice(0, network.lastIndexOf('.') + 1)
    return !machineNetworks().some((own) => own.startsWith(start))
  }) ?? '198.18.0.0/24'

/** The address by which slirp4netns speaks for this machine; connections to ports come from there. */
export const gatewayOf = (network: string): string =>
  `${network.slice(0, network.lastIndexOf('.') + 1)}2`

/** The programs that it needs; from the packages slirp4netns, iproute2 and util-linux. */
export const INTERNET_PROGRAMS = ['slirp4netns', 'ip', 'unshare', 'setpriv', 'mkfifo'] as const

/**
 * Waits at a gate, and then becomes a program. The kernel tells nobody of a parent that had ended
 * before it was asked to, so that is looked for first.
 */
const BEHIND_GATE = '[ "$PPID" = "$1" ] || exit 1; read -r _ <"$2"; exec 3>"$3"; shift 3; exec "$@"'

/** slirp4netns with a device that reaches neither this machine nor its resolver. */
export const forwarderCommand = (): string[] => [
  ...['slirp4netns', '--configure', '--mtu=65520'],
  ...['--disable-host-loopback', '--disable-dns', `--cidr=${linkNetwork()}`],
]

/**
 * Starts slirp4netns beside the shell, which waits until the shell is in its namespace. It ends
 * with the shell's process, also while it waits.
 */
export const startForwarder = (folder: string): string => {
  const [gate, ready] = [quote(`${folder}/net-gate`), quote(`${folder}/net-ready`)]
  const wait = ['setpriv', '--pdeathsig', 'KILL', '/bin/sh', '-c', BEHIND_GATE, 'sh']
  return [
    `rm -f ${gate} ${ready}; mkfifo -m 600 ${gate} ${ready} || exit 125`,
    `${quoteAll(wait)} $$ ${gate} ${ready} ${quoteAll(forwarderCommand())} --ready-fd=3 $$ tap0 </dev/null >/dev/null 2>&1 &`,
  ].join('\n')
}

/** Within the namespace: waits for the device and sets the rules. Ends the shell where it fails. */
export const awaitForwarder = (folder: string): string =>
  [
    `echo go >${quote(`${folder}/net-gate`)}`,
    `timeout ${READY_SECONDS} head -c 1 <${quote(`${folder}/net-ready`)} | grep -q 1 || exit 125`,
    `ip -batch ${quote(`${folder}/net-rules`)} || exit 125`,
  ].join('\n')
