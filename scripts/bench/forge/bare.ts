/**
 * What the forge is compared with, each in a process of its own: `answers FILE` serves fixed
 * answers from nothing but Bun.serve; `inserts DATABASE each|grouped` writes one row per request
 * through HTTP with `synchronous=FULL`. Prints its port.
 */
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'

/** An answer as the forge gave it. */
export type Kept = {
  readonly path: string
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Below `/plain` with nothing but the type, below `/full` with all headers that the forge sends.
 */
function answers(file: string): (request: Request) => Response | Promise<Response> {
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept[]
  const routes = new Map<string, { body: string; headers: Record<string, string> }>()
  for (const { path, body, headers } of kept) {
    routes.set(`/plain${path}`, {
      body,
      headers: { 'content-type': headers['content-type'] ?? 'text/plain' },
    })
    routes.set(`/full${path}`, { body, headers })
  }
  return (request) => {
    const { url } = request
    const route = routes.get(url.slice(url.indexOf('/', 8)))
    if (!route) return new Response(null, { status: 404 })
    const answer = () => new Response(route.body, { headers: route.headers })
    return request.method === 'POST' ? request.text().then(answer) : answer()
  }
}

type Input = { title: string; body?: string }

function inserts(path: string, grouped: boolean): (request: Request) => Promise<Response> {
  const db = new Database(path, { create: true })
  db.run('PRAGMA page_size = 8192')
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run(
    'CREATE TABLE rows (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL) STRICT',
  )
  const insert = db.query<{ id: number }, [string, string]>(
    'INSERT INTO rows (title, body) VALUES (?, ?) RETURNING id',
  )
  const one = ({ title, body }: Input): number => insert.get(title, body ?? '')?.id ?? 0
  let waiting: { input: Input; done: (id: number) => void }[] = []
  const flush = db.transaction((batch: typeof waiting) => batch.map(({ input }) => one(input)))
  const group = (input: Input): Promise<number> =>
    new Promise((done) => {
      if (waiting.length === 0) {
        setImmediate(() => {
          const batch = waiting
          waiting = []
          const ids = flush(batch)
          batch.forEach((each, at) => each.done(ids[at] ?? 0))
        })
      }
      waiting.push({ input, done })
    })
  return async (request) => {
    const input = (await request.json()) as Input
    return Response.json(
      { id: grouped ? await group(input) : one(input), title: input.title },
      { status: 201 },
    )
  }
}

if (import.meta.main) {
  const [what, path = '', mode] = process.argv.slice(2)
  const fetch = what === 'inserts' ? inserts(path, mode === 'grouped') : answers(path)
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch })
  process.stdout.write(`${server.port}\n`)
}

export type Bare = { readonly url: string; readonly pid: number; stop(): void }

/** Starts one of them and waits for its port. */
export async function startBare(...args: string[]): Promise<Bare> {
  const child = Bun.spawn([process.execPath, import.meta.path, ...args], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const port = new TextDecoder().decode((await reader.read()).value).trim()
  if (!/^\d+$/.test(port)) throw new Error(`the bare server did not start: ${args.join(' ')}`)
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }
}
