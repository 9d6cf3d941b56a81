/**
 * What the forge is compared with, each in a process of its own: `answers FILE` serves fixed
 * answers from nothing but Bun.serve; `queries DATABASE FILE` runs the queries of an operation for
 * the number at the end of the path and answers their rows; `inserts DATABASE each|grouped` writes
 * one row and its event per request through HTTP with `synchronous=FULL`. Prints its port.
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

/** A query of an operation. `RECORDED_NUMBER` in its parameters stands for the number of a path. */
export type RecordedQuery = {
  readonly sql: string
  readonly params: readonly (string | number | null)[]
}

/** A number that no other parameter holds. */
export const RECORDED_NUMBER = 4093

function queries(path: string, file: string): (request: Request) => Response {
  const db = new Database(path, { readonly: true, strict: true })
  db.run('PRAGMA cache_size = -16384')
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as RecordedQuery[]
  const prepared = recorded.map(({ sql, params }) => ({ statement: db.prepare(sql), params }))
  const inText = new RegExp(`\\b${RECORDED_NUMBER}\\b`, 'g')
  return ({ url }) => {
    const number = Number(url.slice(url.lastIndexOf('/') + 1))
    const put = (value: string | number | null): string | number | null =>
      value === RECORDED_NUMBER
        ? number
        : typeof value === 'string'
          ? value.replace(inText, String(number))
          : value
    const rows = prepared.map(({ statement, params }) => statement.all(...params.map(put)))
    return Response.json(rows)
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
  db.run(
    'CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, row INTEGER NOT NULL, data TEXT NOT NULL) STRICT, WITHOUT ROWID',
  )
  const insert = db.query<{ id: number }, [string, string]>(
    'INSERT INTO rows (title, body) VALUES (?, ?) RETURNING id',
  )
  const insertEvent = db.query<null, [string, string, number, string]>(
    'INSERT INTO events (id, type, row, data) VALUES (?, ?, ?, ?)',
  )
  const withEvent = db.transaction(({ title, body }: Input): number => {
    const id = insert.get(title, body ?? '')?.id ?? 0
    insertEvent.run(Bun.randomUUIDv7(), 'row.added', id, JSON.stringify({ number: id }))
    return id
  })
  const one = (input: Input): number => withEvent(input)
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
  const fetch =
    what === 'inserts'
      ? inserts(path, mode === 'grouped')
      : what === 'queries'
        ? queries(path, mode ?? '')
        : answers(path)
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
