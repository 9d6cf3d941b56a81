/**
 * Compares two builds of the forge, door by door, by the processor time of a request. Each build
 * fills a forge of its own in the same way; the two take turns in short rounds, so that other work
 * on the machine weighs on both. `bun scripts/bench/doors.ts BEFORE AFTER [--rounds N] [--only TEXT]
 * [--scale N]` with the paths of two executables; `--scale` multiplies the requests of a round. A ratio of 2 means that AFTER needs half the time of BEFORE.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeSetting, REPO, type Setting } from './forge/setting.ts'
import { ratio, table } from './forge/table.ts'
import { cpuOf } from './forge/vitals.ts'
import { median } from './forge/wrk.ts'

type Door = {
  readonly name: string
  /** Requests in a round. */
  readonly count: number
  /** The request number `n` of a run. */
  readonly request: (setting: Setting, n: number) => Request
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
  },
})
const [before, after] = positionals
if (before === undefined || after === undefined) {
  throw new Error('usage: bun scripts/bench/doors.ts BEFORE AFTER')
}

const CONNECTIONS = 8
const scale = Number(values.scale)

const get =
  (path: (n: number) => string, who: 'token' | 'cookie' | 'nobody' = 'token') =>
  ({ forge, token, cookie }: Setting, n: number): Request =>
    new Request(forge.url + path(n), {
      redirect: 'manual',
      headers: {
        'accept-encoding': 'identity',
        ...(who === 'token' ? { authorization: `Bearer ${token}` } : {}),
        ...(who === 'cookie' ? { cookie } : {}),
      },
    })

const tool =
  (name: string, args: (n: number) => Record<string, unknown>) =>
  ({ forge, token }: Setting, n: number): Request =>
    new Request(`${forge.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name, arguments: { repo: REPO, ...args(n) } },
      }),
    })

const LS_REFS =
  '0014command=ls-refs\n0014agent=git/2.47.000010009peel\n000csymrefs\n001bref-prefix refs/heads/\n0000'

const DOORS: readonly Door[] = [
  { name: 'livez', count: 4000, request: get(() => '/livez', 'nobody') },
  { name: 'REST, the same read', count: 3000, request: get(() => `/api/v1/repos/${REPO}`) },
  {
    name: 'REST, a new read',
    count: 2000,
    request: get((n) => `/api/v1/repos/${REPO}/issues/${(n % 20) + 1}?n=${n}`),
  },
  {
    name: 'REST, a new list',
    count: 1500,
    request: get((n) => `/api/v1/repos/${REPO}/issues?per_page=${(n % 15) + 5}&n=${n}`),
  },
  {
    name: 'REST, a new issue',
    count: 400,
    request: ({ forge, token }, n) =>
      new Request(`${forge.url}/api/v1/repos/${REPO}/issues`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Issue ${n}`, body: 'What is wrong, and where.' }),
      }),
  },
  { name: 'tool, the same call', count: 1500, request: tool('get_repo', () => ({})) },
  {
    name: 'tool, a new call',
    count: 800,
    // Different limits keep the answers apart, so that none comes from the cache.
    request: tool('get_issue', (n) => ({ number: (n % 20) + 1, max_chars: 20_000 + n })),
  },
  {
    name: 'git, info/refs',
    count: 1500,
    request: get(() => `/${REPO}.git/info/refs?service=git-upload-pack`),
  },
  {
    name: 'git, ls-refs',
    count: 1500,
    request: ({ forge, token }) =>
      new Request(`${forge.url}/${REPO}.git/git-upload-pack`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'git-protocol': 'version=2',
          'content-type': 'application/x-git-upload-pack-request',
        },
        body: LS_REFS,
      }),
  },
  { name: 'page of a repository', count: 800, request: get(() => `/${REPO}`, 'cookie') },
  {
    name: 'page of a file',
    count: 500,
    request: get((n) => `/${REPO}/blob/main/src/part-${n % 12}.ts`, 'cookie'),
  },
  { name: 'page of issues', count: 500, request: get(() => `/${REPO}/issues`, 'cookie') },
  {
    name: 'page of an issue',
    count: 500,
    request: get((n) => `/${REPO}/issues/${(n % 20) + 1}`, 'cookie'),
  },
  { name: 'page not found', count: 1000, request: get((n) => `/nobody/nothing-${n}`, 'cookie') },
  { name: 'sign-in page', count: 1000, request: get(() => '/login', 'nobody') },
  {
    name: 'sign-in with a wrong form',
    count: 500,
    request: ({ forge }, n) =>
      new Request(`${forge.url}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: forge.url },
        body: `login=&password=&n=${n}`,
      }),
  },
]

/** Processor time of one request in microseconds. */
async function measure(setting: Setting, door: Door, from: number): Promise<number> {
  let next = from
  const count = door.count * scale
  const end = from + count
  const connection = async (): Promise<void> => {
    while (next < end) await (await fetch(door.request(setting, next++))).arrayBuffer()
  }
  const began = cpuOf(setting.forge.pid)
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return ((cpuOf(setting.forge.pid) - began) * 1e6) / count
}

/** Both builds have to respond alike, or the comparison means nothing. */
async function statusOf(setting: Setting, door: Door): Promise<number> {
  const response = await fetch(door.request(setting, 0))
  await response.arrayBuffer()
  return response.status
}

const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-doors-'))
const first = await makeSetting(before, join(directory, 'before'))
const second = await makeSetting(after, join(directory, 'after'))
try {
  const rows: string[][] = []
  for (const door of DOORS.filter(({ name }) => name.includes(values.only))) {
    const statuses = [await statusOf(first, door), await statusOf(second, door)]
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round <= Number(values.rounds); round++) {
      const pair: [number, number] = [
        await measure(first, door, round * door.count * scale),
        await measure(second, door, round * door.count * scale),
      ]
      // The first round warms up.
      if (round === 0) continue
      times[0].push(pair[0])
      times[1].push(pair[1])
    }
    const ratios = times[0].map((time, round) => time / (times[1][round] ?? Number.NaN))
    rows.push([
      door.name,
      statuses.join(' '),
      median(times[0]).toFixed(0),
      median(times[1]).toFixed(0),
      ratio(median(ratios)),
      `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`,
    ])
    console.error(rows.at(-1)?.join('  '))
  }
  const head = ['door', 'status', 'before µs', 'after µs', 'ratio', 'ratios of the rounds']
  console.log(table(head, rows))
} finally {
  await first.forge.stop()
  await second.forge.stop()
  rmSync(directory, { recursive: true })
}
