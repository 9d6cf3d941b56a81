import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { summarizeHistory } from '../../../src/git/history/index.ts'
import { runToEnd } from '../../../src/git/history/pausable-work.ts'
import type { HistorySlice, HistorySummary, Oid } from '../../../src/git/ports.ts'
import { importCommits, randomHistory, Repo, type File } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(60_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

const NOW_MS = 1_700_000_000_000
const WEEK = 7 * 86_400

const newRepo = (): Repo => {
  const repo = new Repo()
  repos.push(repo)
  return repo
}

const slice = (
  repo: Repo,
  head: Oid,
  { state = null, maxMs = 60_000 }: { state?: Uint8Array | null; maxMs?: number } = {},
): HistorySlice => runToEnd(summarizeHistory(repo.db, head, { state, maxMs, nowMs: NOW_MS }))

/** Commits, additions and deletions by week and by address, from the output of git. */
function truth(repo: Repo, head: Oid) {
  const weeks = new Map<number, [number, number, number]>()
  const people = new Map<string, [number, number, number]>()
  let counts: [number, number, number][] = []
  for (const line of repo.lines([
    'log',
    '--histogram',
    '-M',
    '--numstat',
    '--format=@%at %ae',
    head,
  ])) {
    const [, time, email = ''] = /^@(\d+) (.*)$/.exec(line) ?? []
    if (time === undefined) {
      const [added = '', deleted = ''] = line.split('\t')
      for (const sum of counts) {
        sum[1] += Number(added.replace('-', '0'))
        sum[2] += Number(deleted.replace('-', '0'))
      }
      continue
    }
    const week = Math.floor((Number(time) + 3 * 86_400) / WEEK) * WEEK - 3 * 86_400
    counts = [weeks.get(week) ?? [0, 0, 0], people.get(email) ?? [0, 0, 0]]
    for (const sum of counts) sum[0]++
    weeks.set(week, counts[0] ?? [0, 0, 0])
    people.set(email, counts[1] ?? [0, 0, 0])
  }
  return { weeks: [...weeks].sort(([a], [b]) => a - b), people: [...people].sort() }
}

const ours = ({ weeks, contributors }: HistorySummary) => ({
  weeks: weeks.map(({ start, commits, additions, deletions }) => [
    start,
    [commits, additions, deletions],
  ]),
  people: contributors
    .map(({ email, commits, additions, deletions }) => [email, [commits, additions, deletions]])
    .sort(),
})

for (let seed = 1; seed <= 6; seed++)
  test(`history ${seed}: counts are those of git log, at once, in slices and after pushes`, () => {
    const repo = newRepo()
    const oids = importCommits(repo, randomHistory(seed, { commits: 40, merges: 0.3, files: 5 }))
    const [middle = '', tip = ''] = [oids[20], oids.at(-1)]
    const whole = slice(repo, tip)
    expect(whole.isComplete).toBe(true)
    expect(ours(whole.summary)).toEqual(truth(repo, tip) as never)

    // Slices of no time count one commit each, and go on where the last one ended.
    let part = slice(repo, tip, { maxMs: 0 })
    let slices = 1
    for (; !part.isComplete; slices++) part = slice(repo, tip, { maxMs: 0, state: part.state })
    expect(slices).toBeGreaterThan(1)
    expect(ours(part.summary)).toEqual(ours(whole.summary))

    const { state } = slice(repo, middle)
    const extended = slice(repo, tip, { state })
    expect(ours(extended.summary)).toEqual(ours(whole.summary))
    // A branch that was moved back no longer has the commits.
    const back = slice(repo, middle, { state: extended.state })
    expect(ours(back.summary)).toEqual(truth(repo, middle) as never)
  })

const file = (text: string): Map<string, File> =>
  new Map([['a', { mode: '100644' as const, data: Buffer.from(text) }]])

test('a push in the middle waits until the head before it is counted', () => {
  const repo = newRepo()
  const commits = Array.from({ length: 6 }, (_, n) => ({
    parents: n === 0 ? [] : [n - 1],
    time: 1_600_000_000 + n,
    files: file('x\n'.repeat(n + 1)),
  }))
  const oids = importCommits(repo, commits)
  const [before = '', tip = ''] = [oids[4], oids[5]]
  const first = slice(repo, before, { maxMs: 0 })
  expect(first.summary).toMatchObject({ head: before, total: 5 })
  const second = slice(repo, tip, { state: first.state })
  expect([second.isComplete, second.summary.head]).toEqual([true, before])
  const third = slice(repo, tip, { state: second.state })
  expect([third.isComplete, third.summary.head, third.summary.weeks[0]?.commits]).toEqual([
    true,
    tip,
    6,
  ])
})

test('an address is one author in any case, with the latest name; odd times stay in bounds', () => {
  const repo = newRepo()
  const [, , tip = ''] = importCommits(repo, [
    { parents: [], time: 1_600_000_000, author: 'Old <Ada@Example.org>', files: file('1\n') },
    { parents: [0], time: 1_600_000_100, author: 'Ada <ada@example.org>', files: file('1\n2\n') },
    { parents: [1], time: 99_000_000_000, author: 'Ada <ADA@example.org>', files: file('3\n') },
  ])
  const { summary } = slice(repo, tip)
  expect(summary.contributors).toMatchObject([
    { name: 'Ada', email: 'ada@example.org', commits: 3, additions: 3, deletions: 2 },
  ])
  expect(summary.weeks.at(-1)?.start).toBeLessThan(NOW_MS / 1000)
})

test('unreadable state is counted again', () => {
  const repo = newRepo()
  const [tip = ''] = importCommits(repo, [{ parents: [], time: 1, files: file('1\n') }])
  const state = Bun.zstdCompressSync(Buffer.from(JSON.stringify({ format: 0 })))
  expect(slice(repo, tip, { state }).summary.weeks).toMatchObject([{ commits: 1, additions: 1 }])
})
