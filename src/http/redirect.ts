/**
 * The listener for those who come without encryption: it sends them on, and shows a certificate
 * authority what it asks for (RFC 8555 section 8.3).
 */

export type Redirect = { readonly port: number; stop(): Promise<void> }

const CHALLENGE = '/.well-known/acme-challenge/'

export function startRedirect(options: {
  host: string
  port: number
  site_url: string
  challenge: (token: string) => string | null
}): Redirect {
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: false,
    development: false,
    maxRequestBodySize: 0,
    idleTimeout: 10,
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname.startsWith(CHALLENGE)) {
        const answer = options.challenge(pathname.slice(CHALLENGE.length))
        return answer === null
          ? new Response('not found\n', { status: 404 })
          : new Response(answer, { headers: { 'content-type': 'application/octet-stream' } })
      }
      // A body that came in the clear is not to be sent again by itself, except by programs that
      // ask for just that.
      const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308
      return new Response(null, {
        status,
        headers: { location: options.site_url + pathname + search },
      })
    },
  })
  return { port: server.port ?? options.port, stop: () => server.stop(true) }
}
