/**
 * A proxy between a runner and the forge that notes when the runner asked for a job and when it had
 * one. So the time to a first line falls into the pause of the runner, the work of the forge, and
 * the work of the runner.
 */

type Fetch = { readonly asked: number; readonly answered: number }

/** An answer without a task is a number of a version. */
const MAX_EMPTY_BYTES = 64
const HOP_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding']

export class FetchTimes {
  readonly #fetches: Fetch[] = []
  readonly #server: Bun.Server<undefined>

  constructor(forge: string) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#forward(forge, request),
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** The request of the last job that was given to the runner. */
  get last(): Fetch {
    const fetch = this.#fetches.at(-1)
    if (!fetch) throw new Error('the runner got no job')
    return fetch
  }

  stop = (): Promise<void> => this.#server.stop(true)

  async #forward(forge: string, request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    for (const name of HOP_HEADERS) headers.delete(name)
    const asked = performance.now()
    const answer = await fetch(`${forge}${pathname}${search}`, {
      method: request.method,
      headers,
      signal: request.signal,
      ...(request.method === 'GET' ? {} : { body: await request.bytes() }),
    })
    const body = await answer.bytes()
    if (pathname.endsWith('/FetchTask') && body.length > MAX_EMPTY_BYTES)
      this.#fetches.push({ asked, answered: performance.now() })
    const sent = new Headers(answer.headers)
    // The body was decompressed here.
    for (const name of [...HOP_HEADERS, 'content-encoding']) sent.delete(name)
    return new Response(body, { status: answer.status, headers: sent })
  }
}
