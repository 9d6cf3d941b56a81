/** A port of this machine that nobody listens on, for peers that want to be told one. */
export function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const { port } = server
  void server.stop(true)
  if (port === undefined) throw new Error('there is no free port')
  return port
}

/** Below the ports that the system gives out. */
const FIRST_OWN_PORT = 20_000
/** Nothing else uses the upper half of 127.0.0.0/8. Numbers of processes have 22 bits. */
const OWN_NETWORK = 0x7f_80_00_00
let ownPorts = 0

/**
 * An address that no other process uses, because its host is of this process alone. A port that
 * `freePort` gives can be taken before somebody listens there, and between two who do.
 */
export function ownAddress(): { readonly host: string; readonly port: number } {
  const number = OWN_NETWORK + process.pid
  const host = [24, 16, 8, 0].map((shift) => (number >> shift) & 255).join('.')
  return { host, port: FIRST_OWN_PORT + ownPorts++ }
}
