/**
 * A way to the public registries that can be closed: `/<host>/<path>` is `https://<host>/<path>`.
 * Documents in JSON lead back through it.
 */
const HOSTS = [
  'registry.npmjs.org',
  'pypi.org',
  'files.pythonhosted.org',
  'index.crates.io',
  'static.crates.io',
  'proxy.golang.org',
  'repo.maven.apache.org',
]
const ADDRESS = new RegExp(`https://(${HOSTS.join('|').replaceAll('.', '\\.')})(?::443)?/`, 'g')

export function openGate() {
  const gate = { url: '', isOpen: true, requests: 0, stop: () => {} }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      gate.requests++
      if (!gate.isOpen) return new Response('closed', { status: 503 })
      const { pathname, search } = new URL(request.url)
      const [, host = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? []
      if (!HOSTS.includes(host)) return new Response('no such host', { status: 404 })
      const accept = request.headers.get('accept') ?? '*/*'
      const answer = await fetch(`https://${host}${path}${search}`, { headers: { accept } })
      const type = answer.headers.get('content-type') ?? 'application/octet-stream'
      const isJson = type.includes('json') || path.endsWith('/config.json')
      const body = isJson
        ? (await answer.text()).replace(ADDRESS, `${gate.url}/$1/`)
        : await answer.arrayBuffer()
      return new Response(body, { status: answer.status, headers: { 'content-type': type } })
    },
  })
  gate.url = `http://127.0.0.1:${server.port}`
  gate.stop = () => void server.stop(true)
  return gate
}
