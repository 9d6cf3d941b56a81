/**
 * Imports 10,000 issues with 50,000 comments from a stand-in of GitHub that has its limits: a budget
 * of requests, refusals for asking too much at once, and answers that fail. Everything comes once;
 * tells how long it took, how much of that was waiting, and how much memory the forge had.
 * `bun test/system/import-large.ts [--issues 10000] [--comments 50000]`
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { startStandIn } from '../features/imports/stand-in.ts'
import { startBackend } from '../git/support/backend.ts'
import { hasEnded, ImportingForge, type Import } from './imports/importing-forge.ts'
import { makeProject } from './imports/project.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  issues: { kind: 'count', default: '10000', help: 'How many issues the repository has.' },
  comments: { kind: 'count', default: '50000', help: 'How many comments they have together.' },
  budget: { kind: 'count', default: '5000', help: 'Requests until the limit of the stand-in.' },
} as const satisfies Record<string, Option>

/** The real limit is of an hour. */
const WINDOW_MS = 15_000
const RETRY_SECONDS = 2
/** Each so many-th request is refused as too much at once, or fails. */
const TOO_MUCH_EVERY = 997
const FAILURE_EVERY = 601
const SAMPLE_MS = 500

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** The limits as GitHub describes them ("Rate limits for the REST API"). */
class Limits {
  #left: number
  #resetMs = Date.now() + WINDOW_MS
  readonly refused = { budget: 0, tooMuch: 0, failed: 0 }

  constructor(private readonly budget: number) {
    this.#left = budget
  }

  headers(): Record<string, string> {
    return {
      'x-ratelimit-limit': String(this.budget),
      'x-ratelimit-remaining': String(Math.max(0, this.#left)),
      'x-ratelimit-reset': String(Math.ceil(this.#resetMs / 1000)),
    }
  }

  /** The answer in place of the right one; null when there is no reason for it. */
  answer(count: number): Response | null {
    if (Date.now() >= this.#resetMs) {
      this.#left = this.budget
      this.#resetMs = Date.now() + WINDOW_MS
    }
    if (this.#left <= 0) {
      this.refused.budget++
      return new Response('{"message":"API rate limit exceeded"}', {
        status: 403,
        headers: this.headers(),
      })
    }
    this.#left--
    if (count % TOO_MUCH_EVERY === 0) {
      this.refused.tooMuch++
      return new Response('{"message":"You have exceeded a secondary rate limit."}', {
        status: 429,
        headers: { ...this.headers(), 'retry-after': String(RETRY_SECONDS) },
      })
    }
    if (count % FAILURE_EVERY === 0) {
      this.refused.failed++
      return new Response(null, { status: 502 })
    }
    return null
  }
}

/** What is not as it should be. */
function compare(data: string, issues: number, comments: number): string[] {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  const one = (sql: string): number =>
    db.query<{ value: number }, []>(`SELECT ${sql} AS value`).get()?.value ?? -1
  const expected: readonly [string, string, number][] = [
    ['issues', '(SELECT count(*) FROM issues)', issues],
    ['different numbers', '(SELECT count(DISTINCT number) FROM issues)', issues],
    ['pull requests', '(SELECT count(*) FROM pulls)', 3],
    // The review has one more.
    ['comments', '(SELECT count(*) FROM comments)', comments + 1],
    ['different comments', '(SELECT count(DISTINCT body) FROM comments)', comments + 1],
  ]
  const problems = expected.flatMap(([what, sql, wanted]) => {
    const found = one(sql)
    return found === wanted ? [] : [`${found} ${what} instead of ${wanted}`]
  })
  db.close()
  return problems
}

const residentMib = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
  ) / 1024

/** Waits for the end. Tells how long the import waited for limits, and the longest turn meanwhile. */
async function watch(forge: ImportingForge, id: string) {
  let waitedMs = 0
  let longestTurnMs = 0
  for (let last = performance.now(); ; ) {
    const found = await forge.api<Import>('GET', `/imports/${id}`)
    const now = performance.now()
    if (found.state === 'waiting_for_limit') waitedMs += now - last
    last = now
    const ready = (await (await fetch(`${forge.url}/readyz`)).json()) as { longest_turn_ms: number }
    longestTurnMs = Math.max(longestTurnMs, ready.longest_turn_ms)
    if (hasEnded(found)) return { found, waitedMs, longestTurnMs }
    await Bun.sleep(SAMPLE_MS)
  }
}

if (import.meta.main)
  await runScript('bun test/system/import-large.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    const sizes = { issues: Number(options.issues), comments: Number(options.comments) }
    const project = { ...(await makeProject(root, sizes)), isSpread: true }
    const backend = startBackend(root)
    const limits = new Limits(Number(options.budget))
    const peer = startStandIn('github_api', project, backend.url, {
      instead: (_, count) => limits.answer(count),
      headers: () => limits.headers(),
    })
    const forge = await ImportingForge.start(root, options.executable)
    try {
      const before = residentMib(forge.pid, 'VmRSS')
      const began = performance.now()
      const { id } = await forge.begin({ source: 'github_api', url: peer.url }, 'large')
      const { found, waitedMs, longestTurnMs } = await watch(forge, id)
      const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`
      const most = residentMib(forge.pid, 'VmHWM')
      say(`${found.state} in ${seconds(performance.now() - began)}`)
      say(`${seconds(waitedMs)} of it waiting for limits, after ${JSON.stringify(limits.refused)}`)
      say(`${peer.asked.length} requests; ${before.toFixed(0)} MiB before, ${most.toFixed(0)} most`)
      say(`the longest turn of the forge was ${longestTurnMs} ms`)
      const problems = compare(join(root, 'data'), sizes.issues, sizes.comments)
      for (const problem of [...found.errors, ...problems]) say(problem)
      return found.state === 'done' && problems.length === 0 ? 0 : 1
    } finally {
      await forge.kill()
      await backend.close()
      await peer.close()
      rmSync(root, { recursive: true, force: true })
    }
  })
