/**
 * The listener for unencrypted requests. It redirects them to HTTPS and serves the HTTP challenges
 * of a certificate authority (RFC 8555 section 8.3).
 */

export type Redirect = { readonly port: number; stop(): Promise<void> }

const CHALLENGE_PATH = '/.well-known/acme-challenge/'

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
      if (pathname.startsWith(CHALLENGE_PATH)) {
        const answer = options.challenge(pathname.slice(CHALLENGE_PATH.length))
        return answer === null
          ? new Response('not found\n', { status: 404 })
          : new Response(answer, { headers: { 'content-type': 'application/octet-stream' } })
      }
      // 308 keeps method and body (RFC 9110 section 15.4.9). The client decides whether to repeat a
      // body that it has already sent unencrypted.
      const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308
      return new Response(null, {
        status,
        headers: { location: options.site_url + pathname + search },
      })
    },
  })
  return { port: server.port ?? options.port, stop: () => server.stop(true) }
}
