/**
 * git's own server: repositories of a directory through `git http-backend`, as a web server would
 * call it (CGI).
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export type Backend = {
  readonly url: string
  /** `METHOD path protocol` of every request, in order. */
  readonly asked: string[]
  close(): Promise<void>
}

/**
 * `protocol` is the highest that the server takes part in, whatever is asked; before `gate` nothing
 * is answered.
 */
export function startBackend(
  directory: string,
  options: { protocol?: 0 | 1 | 2; authorization?: string; gate?: Promise<void> } = {},
): Backend {
  const program = join(
    spawnSync('git', ['--exec-path'], { encoding: 'utf8' }).stdout.trim(),
    'git-http-backend',
  )
  const asked: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 4 * 1024 ** 3,
    async fetch(request) {
      const url = new URL(request.url)
      const wanted = request.headers.get('git-protocol') ?? ''
      asked.push(`${request.method} ${url.pathname}${url.search} ${wanted}`.trim())
      await options.gate
      if (
        options.authorization !== undefined &&
        request.headers.get('authorization') !== options.authorization
      ) {
        return new Response('who are you?', {
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="git"' },
        })
      }
      const most = options.protocol ?? 2
      const protocol = most === 2 ? wanted : most === 1 && wanted !== '' ? 'version=1' : ''
      const child = Bun.spawn([program], {
        env: {
          PATH: process.env.PATH ?? '',
          GIT_PROJECT_ROOT: directory,
          GIT_HTTP_EXPORT_ALL: '1',
          REQUEST_METHOD: request.method,
          PATH_INFO: url.pathname,
          QUERY_STRING: url.search.slice(1),
          CONTENT_TYPE: request.headers.get('content-type') ?? '',
          GIT_PROTOCOL: protocol,
          HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '',
          REMOTE_USER: 'ada',
          REMOTE_ADDR: '127.0.0.1',
          HOME: '/nonexistent',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_COUNT: '2',
          GIT_CONFIG_KEY_0: 'http.receivepack',
          GIT_CONFIG_VALUE_0: 'true',
          GIT_CONFIG_KEY_1: 'safe.directory',
          GIT_CONFIG_VALUE_1: '*',
        },
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'ignore',
      })
      void (async () => {
        try {
          if (request.body)
            for await (const part of request.body) {
              child.stdin.write(part)
              await child.stdin.flush()
            }
          await child.stdin.end()
        } catch {
          child.kill()
        }
      })()
      request.signal.addEventListener('abort', () => child.kill())
      const reader = child.stdout.getReader()
      let head = Buffer.alloc(0)
      let end = -1
      while (end < 0) {
        const { done, value } = await reader.read()
        if (done) return new Response('the backend said nothing', { status: 502 })
        head = Buffer.concat([head, value])
        end = head.indexOf('\r\n\r\n')
      }
      const headers = new Headers()
      let status = 200
      for (const line of head.subarray(0, end).toString().split('\r\n')) {
        const colon = line.indexOf(':')
        const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()]
        if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3))
        else headers.set(name, value)
      }
      let rest: Buffer | null = head.subarray(end + 4)
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (rest && rest.length > 0) {
            controller.enqueue(rest)
            rest = null
            return
          }
          rest = null
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: () => child.kill(),
      })
      return new Response(body, { status, headers })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    close: async () => void (await server.stop(true)),
  }
}
