/** A server that takes what trackers are told, for tests. */
import { afterAll } from 'bun:test'

export type Told = {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

type Answer = { readonly status?: number; readonly json?: unknown; readonly headers?: HeadersInit }

export function trackerReceiver(answer: (told: Told) => Answer = () => ({})) {
  const told: Told[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const one = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      }
      told.push(one)
      const { status = 200, json = {}, headers = {} } = answer(one)
      return Response.json(json, { status, headers })
    },
  })
  afterAll(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}`,
    told,
    /** What came since the last call, on one line each. */
    lines: (): string[] =>
      told.splice(0).map(({ method, path, body }) => `${method} ${path} ${body}`.trim()),
  }
}
