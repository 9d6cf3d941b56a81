/** A wire to a server that can be cut: bytes pass as they are, or not at all. */
import { connect, createServer, type Socket } from 'node:net'

export type Wire = { readonly url: string; cut(): void; mend(): void; close(): void }

/** `to` is an address with http. */
export async function startWire(to: string): Promise<Wire> {
  const { hostname, port } = new URL(to)
  const open = new Set<Socket>()
  let whole = true
  const server = createServer((near) => {
    if (!whole) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the wire has no port')
  const cut = (): void => {
    whole = false
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    mend: () => void (whole = true),
    close: () => {
      cut()
      server.close()
    },
  }
}
