/**
 * A day of a small team at a steady pace: reading, talking, committing, merging, cloning, and
 * publishing packages where the services are given. What it does depends on the count alone.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runGit, withToken } from '../../support/git.ts'
import type { Services } from './services.ts'
import { REPO, type Setting } from './setting.ts'

export type LoadCounts = {
  requests: number
  writes: number
  clones: number
  merges: number
  readonly failures: Map<string, number>
}

const PAGES = [
  '',
  '/issues',
  '/pulls',
  '/commits/main',
  '/tree/main/src',
  '/blob/main/README.md',
  '/blame/main/README.md',
  '/activity',
  '/branches',
  '/releases',
  '/settings',
]
const SITE = [
  '/',
  '/explore',
  '/search?q=door',
  '/notifications',
  '/admin',
  '/admin/jobs',
  '/admin/users',
  '/acme',
  '/docs',
]

export class SteadyLoad {
  readonly counts: LoadCounts = {
    requests: 0,
    writes: 0,
    clones: 0,
    merges: 0,
    failures: new Map(),
  }
  #going = true
  #turn = 0

  constructor(
    private readonly setting: Setting,
    private readonly directory: string,
    private readonly services: Services | null = null,
  ) {}

  /**
   * Works at so many rounds a second until `end`; resolves once all of it is done. A round is a
   * handful of requests.
   */
  async run(pace: number): Promise<void> {
    const under = new Set<Promise<void>>()
    const began = performance.now()
    for (let round = 0; this.#going; round++) {
      const work = this.round(this.#turn++).catch((error: unknown) =>
        this.#fail(error instanceof Error ? error.message : String(error)),
      )
      under.add(work)
      void work.finally(() => under.delete(work))
      // A machine that is slower than the pace is not asked for more than a few at once.
      if (under.size >= 8) await Promise.race(under)
      await Bun.sleep(Math.max(0, began + ((round + 1) * 1000) / pace - performance.now()))
    }
    await Promise.all(under)
  }

  end(): void {
    this.#going = false
  }

  #fail(what: string): void {
    const short = what.replace(/\d+/g, 'N').slice(0, 160)
    this.counts.failures.set(short, (this.counts.failures.get(short) ?? 0) + 1)
  }

  async #ask(path: string, init: RequestInit = {}): Promise<string> {
    const { forge, token } = this.setting
    this.counts.requests++
    const response = await fetch(forge.url + path, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    })
    const text = await response.text()
    // Somebody else's merge may come first: that is as it should be.
    if (response.status >= 400 && !(response.status === 409 && path.endsWith('/merge')))
      this.#fail(
        `${init.method ?? 'GET'} ${path} answered ${response.status}: ${text.slice(0, 100)}`,
      )
    return text
  }

  #page = (path: string, signedIn: boolean): Promise<string> =>
    this.#ask(path, {
      headers: signedIn
        ? { authorization: '', cookie: this.setting.cookie }
        : { authorization: '' },
    })

  async #write(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    this.counts.writes++
    const text = await this.#ask(`/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  }

  /** One round; the count says what is in it. */
  async round(n: number): Promise<void> {
    const repo = `/repos/${REPO}`
    await this.#page(`/${REPO}${PAGES[n % PAGES.length] ?? ''}`, true)
    await this.#ask(
      `/api/v1${repo}/${['issues', 'pulls', 'events', 'branches', 'commits'][n % 5] ?? ''}`,
    )
    if (n % 2 === 0) await this.#page(SITE[(n / 2) % SITE.length] ?? '/', true)
    if (n % 3 === 0) {
      const call = {
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name: 'list_issues', arguments: { repo: REPO } },
      }
      await this.#ask('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
        },
        body: JSON.stringify(call),
      })
    }
    if (n % 4 === 0) {
      const { number } = await this.#write('POST', `${repo}/issues`, {
        title: `The door squeaks again (${n})`,
        body: 'Oil it, please. It can be heard in the whole house.',
      })
      await this.#write('POST', `${repo}/issues/${String(number)}/comments`, {
        body: `Done in turn ${n}.`,
      })
      await this.#write('POST', `${repo}/issues/${String(number)}/close`)
    }
    if (n % 10 === 5) await this.#merge(n)
    if (n % 20 === 15) await this.services?.publish(n)
    if (n % 25 === 7) await this.#clone(n)
    if (n % 40 === 11) {
      const asked = await fetch(`${this.setting.forge.url}/api/v1${repo}/zipball`, {
        headers: { authorization: `Bearer ${this.setting.token}` },
      })
      await asked.arrayBuffer()
      if (!asked.ok) this.#fail(`an archive answered ${asked.status}`)
    }
  }

  async #merge(n: number): Promise<void> {
    const repo = `/repos/${REPO}`
    const branch = `turn-${n}`
    const content = `export const turn = ${n}\n${'// what was said of it\n'.repeat(n % 50)}`
    await this.#write('POST', `${repo}/commits`, {
      branch: 'main',
      new_branch: branch,
      message: `Turn ${n}`,
      files: [{ path: `src/turn-${n % 20}.ts`, action: 'put', content }],
    })
    const { pull } = (await this.#write('POST', `${repo}/pulls`, {
      title: `Turn ${n}`,
      body: 'It turns.',
      branch,
    })) as { pull?: { number: number } }
    if (pull === undefined) return
    await this.#page(`/${REPO}/pull/${pull.number}/changes`, true)
    const merged = await this.#write('POST', `${repo}/pulls/${pull.number}/merge`)
    if (merged.error === undefined) this.counts.merges++
  }

  async #clone(n: number): Promise<void> {
    const { forge, token } = this.setting
    const into = join(this.directory, `clone-${n}`)
    mkdirSync(this.directory, { recursive: true })
    const { status, error } = await runGit(this.directory, [
      'clone',
      '-q',
      '--single-branch',
      withToken(`${forge.url}/${REPO}.git`, token),
      into,
    ])
    if (status !== 0) this.#fail(`git clone: ${error}`)
    else this.counts.clones++
    rmSync(into, { recursive: true, force: true })
  }
}
