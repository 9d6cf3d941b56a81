/** A port of this machine that nobody listens on, for peers that want to be told one. */
export function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const { port } = server
  void server.stop(true)
  if (port === undefined) throw new Error('there is no free port')
  return port
}
