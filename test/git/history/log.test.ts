import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { count, log } from '../../../src/git/history/index.ts'
import type { LogOptions } from '../../../src/git/ports.ts'
import { importCommits, Random, randomHistory, Repo, type Files } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

function history(seed: number) {
  const repo = new Repo()
  repos.push(repo)
  const oids = importCommits(
    repo,
    randomHistory(seed, {
      commits: 36,
      merges: 0.35,
      skew: seed % 4 === 0,
      files: 6,
      renames: 0.15,
    }),
  )
  const name = new Map(oids.map((oid, i) => [oid, i]))
  const numbers = (list: readonly string[]) => list.map((oid) => name.get(oid) ?? -1)
  return {
    repo,
    oids,
    random: new Random(seed * 31),
    tip: oids.at(-1) ?? '',
    git: (...args: string[]) => numbers(repo.lines(['rev-list', ...args])),
    ours: (options: LogOptions) => numbers(log(repo.db, options).map((commit) => commit.oid)),
  }
}

describe('log gives what git log gives', () => {
  for (let seed = 1; seed <= 8; seed++) {
    test(`history ${seed}: order, ranges, times, authors`, () => {
      const { repo, oids, random, git, ours } = history(seed)
      for (let i = 0; i < 4; i++) {
        const [a, b, c] = [random.pick(oids), random.pick(oids), random.pick(oids)]
        expect(ours({ tips: [a] })).toEqual(git(a))
        expect(ours({ tips: [a, b, c] })).toEqual(git(a, b, c))
        expect(ours({ tips: [a], hide: [b, c] })).toEqual(git(a, `^${b}`, `^${c}`))
        expect(ours({ tips: [a], firstParent: true })).toEqual(git('--first-parent', a))
        expect(ours({ tips: [a], skip: 3, limit: 4 })).toEqual(git('--skip=3', '-n4', a))
        const since = 1_500_000_000 + random.below(20_000)
        expect(ours({ tips: [a], since })).toEqual(git(`--since=${since}`, a))
        expect(ours({ tips: [a], until: since })).toEqual(git(`--until=${since}`, a))
        expect(ours({ tips: [a], author: 'A1@EXAMPLE' })).toEqual(
          git('-i', '--author=a1@example', a),
        )
        expect(count(repo.db, { tips: [a], hide: [b], skip: 2, limit: 1 })).toBe(
          git(a, `^${b}`).length,
        )
      }
    })

    test(`history ${seed}: paths, simplified as git does`, () => {
      const { repo, oids, random, tip, git, ours } = history(seed + 20)
      const listed = [tip, oids[9] ?? tip].flatMap((oid) =>
        repo.git(['ls-tree', '-r', '-t', '-z', '--name-only', oid]).split('\0'),
      )
      for (const key of new Set(listed)) {
        if (key === '' || key.includes('\xff')) continue
        const path = Buffer.from(key, 'latin1').toString()
        const hidden = random.pick(oids)
        const literal = `:(literal)${path}`
        expect(ours({ tips: [tip], path })).toEqual(git(tip, '--', literal))
        expect(ours({ tips: [tip], path, hide: [hidden] })).toEqual(
          git(tip, `^${hidden}`, '--', literal),
        )
        expect(ours({ tips: [tip], path, firstParent: true })).toEqual(
          git('--first-parent', tip, '--', literal),
        )
      }
    })
  }

  test('follow goes on with the file that a new one came from', () => {
    for (let seed = 50; seed < 56; seed++) {
      const { repo, oids, tip, ours } = history(seed)
      const names = new Map(oids.map((oid, i) => [oid, i]))
      for (const key of repo.git(['ls-tree', '-r', '-z', '--name-only', tip]).split('\0')) {
        if (key === '' || key.includes('\xff')) continue
        const path = Buffer.from(key, 'latin1').toString()
        const git = repo
          .lines(['log', '--follow', '--format=%H', tip, '--', path])
          .map((oid) => names.get(oid) ?? -1)
        expect(ours({ tips: [tip], path, follow: true })).toEqual(git)
      }
    }
  })

  test('the values of a commit are those that git shows', () => {
    const { repo, tip } = history(3)
    const [commit] = log(repo.db, { tips: [tip], limit: 1 })
    const shown = repo
      .git(['log', '-1', '--format=%H%n%T%n%P%n%an%n%ae%n%at%n%ct%n%B', tip])
      .split('\n')
    expect([
      commit?.oid,
      commit?.tree,
      commit?.parents.join(' '),
      commit?.author.name,
      commit?.author.email,
    ]).toEqual(shown.slice(0, 5))
    expect([String(commit?.author.time), String(commit?.committer.time)]).toEqual(shown.slice(5, 7))
    expect(commit?.message.trim()).toBe(shown.slice(7).join('\n').trim())
  })
})

test('a tip that is not there is named', () => {
  const { repo } = history(1)
  expect(() => log(repo.db, { tips: ['1'.repeat(40)] })).toThrow('1'.repeat(40))
})

test('a long line of commits is walked without deep calls, and a page of it reads no more than the page', () => {
  const repo = new Repo()
  repos.push(repo)
  const files: Files = new Map([['a', { mode: '100644', data: Buffer.from('x\n') }]])
  const line = Array.from({ length: 20_000 }, (_, i) => ({
    parents: i === 0 ? [] : [i - 1],
    files,
    time: 1_500_000_000 + i,
  }))
  const oids = importCommits(repo, line)
  const tip = oids.at(-1) ?? ''
  let reads = 0
  const db = {
    ...repo.db,
    has: () => true,
    header: repo.db.header.bind(repo.db),
    read: (oid: string) => (reads++, repo.db.read(oid)),
  }
  expect(log(db, { tips: [tip], limit: 10 })).toHaveLength(10)
  expect(reads).toBeLessThan(40)
  expect(count(db, { tips: [tip] })).toBe(20_000)
  expect(count(db, { tips: [tip], path: 'a' })).toBe(1)
})
