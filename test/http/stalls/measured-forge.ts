/**
 * A forge in a process of its own, whose main thread and memory are measured from outside: the
 * longest turn of its event loop in CPU time, which the load of the machine does not change.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, ROOT, startForge } from '../../../scripts/support/forge.ts'

const METRICS_TOKEN = 'metrics-of-the-test'

export type Scrape = {
  /** The CPU time of the longest turn since the last scrape. */
  readonly turnMs: number
  readonly residentMiB: number
  /** What its caches hold of that. */
  readonly cacheMiB: number
}

export type ForgeAccess = {
  readonly url: string
  readonly token: string
  readonly cookie: string
  /** The address that requests come from, as a trusted proxy tells it; that of the machine by default. */
  readonly address?: string
}

export type ForgeClient = ReturnType<typeof clientOf>

/** What a user with a token and a cookie needs to talk to a forge. */
export function clientOf(access: ForgeAccess) {
  const { url, token, address } = access
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    // An attack may send its own.
    if (address !== undefined && !headers.has('x-forwarded-for'))
      headers.set('x-forwarded-for', address)
    return fetch(url + path, { ...init, headers })
  }
  const api = (method: string, path: string, body?: unknown): Promise<Response> =>
    send(`/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { ...access, send, api }
}

export type MeasuredForge = Awaited<ReturnType<typeof startMeasuredForge>>

/** Runs the source by default; `executable` is a built one. */
export async function startMeasuredForge(
  executable: string | readonly string[] = [process.execPath, join(ROOT, 'src/main.ts')],
) {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-stalls-'))
  const forge = await startForge({
    executable,
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: {
      HEARTH_METRICS_TOKEN: METRICS_TOKEN,
      HEARTH_PROXY_TRUSTED: '127.0.0.1',
      // What the git engine may hold for its cache is no memory that attacks take.
      HEARTH_GIT_MEMORY_BUDGET: '32M',
    },
  })
  const { token, cookie } = await claim(forge)
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const client = clientOf({ url: forge.url, token, cookie })
  const { api } = client
  return {
    ...client,
    pid: forge.pid,
    directory,
    /** The same; throws for a refusal, because the attack that it prepares would be none. */
    async seed(method: string, path: string, body?: unknown): Promise<unknown> {
      const response = await api(method, path, body)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    async scrape(): Promise<Scrape> {
      const text = await (await fetch(`${forge.url}/metrics`, { headers })).text()
      const sample = (name: string): number => {
        const value = text.split('\n').find((line) => line.startsWith(`${name} `))
        if (value === undefined) throw new Error(`${name} is not in: ${text.slice(0, 500)}`)
        return Number(value.slice(name.length + 1))
      }
      return {
        turnMs: sample('hearth_event_loop_longest_turn_cpu_seconds{since="scrape"}') * 1000,
        residentMiB: sample('hearth_resident_memory_bytes') / 1024 ** 2,
        cacheMiB:
          [...text.matchAll(/^hearth_cache_bytes\{.*\} (\d+)$/gm)].reduce(
            (sum, [, bytes]) => sum + Number(bytes),
            0,
          ) /
          1024 ** 2,
      }
    },
    async stop(): Promise<void> {
      await forge.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
