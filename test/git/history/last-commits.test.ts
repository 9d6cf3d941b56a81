import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { lastCommits, listTree } from '../../../src/git/history/index.ts'
import { MAX_ENTRIES } from '../../../src/git/history/last-commits.ts'
import type { CachedLastCommits } from '../../../src/git/ports.ts'
import { importCommits, randomHistory, Repo } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

for (let seed = 1; seed <= 6; seed++) {
  test(`history ${seed}: each entry has the commit that git log -1 gives`, () => {
    const repo = new Repo()
    repos.push(repo)
    const tip =
      importCommits(
        repo,
        randomHistory(seed, { commits: 40, merges: 0.35, files: 8, skew: seed % 3 === 0 }),
      ).at(-1) ?? ''
    for (const directory of ['', 'src', 'src/lib', 'doc']) {
      const entries = listTree(repo.db, tip, directory) ?? []
      const found = lastCommits(repo.db, tip, directory)
      expect(found.map(({ name }) => name)).toEqual(entries.map(({ name }) => name))
      for (const { name, commit } of found) {
        if (name.includes('\ufffd')) continue
        const path = directory === '' ? name : `${directory}/${name}`
        expect([path, commit.oid]).toEqual([
          path,
          repo.git(['rev-list', '-n1', tip, '--', `:(literal)${path}`]).trim(),
        ])
      }
    }
  })
}

test('with answers for earlier commits, of this branch or of another, it is the same answer', () => {
  for (let seed = 1; seed <= 4; seed++) {
    const repo = new Repo()
    repos.push(repo)
    const oids = importCommits(
      repo,
      randomHistory(seed, { commits: 40, merges: 0.35, files: 8, skew: seed === 3 }),
    )
    const tip = oids.at(-1) ?? ''
    const answer = (oid: string, path: string, known: readonly CachedLastCommits[] = []) =>
      lastCommits(repo.db, oid, path, known).map(({ name, commit }) => [name, commit.oid])
    for (const path of ['', 'src']) {
      const whole = answer(tip, path)
      const known = [5, 17, 30, 38].map(
        (at): CachedLastCommits => ({
          commit: oids[at] ?? '',
          entries: answer(oids[at] ?? '', path).map(([name = '', oid = '']) => ({ name, oid })),
        }),
      )
      for (const one of known) expect(answer(tip, path, [one])).toEqual(whole)
      expect(answer(tip, path, known)).toEqual(whole)
    }
  }
})

test('what is known is taken at its word, and looked for no further', () => {
  const repo = new Repo()
  repos.push(repo)
  const file = (data: string) => ({ mode: '100644' as const, data: Buffer.from(data) })
  const oids = importCommits(repo, [
    {
      parents: [],
      files: new Map([
        ['a', file('1')],
        ['b', file('1')],
      ]),
      time: 1,
    },
    {
      parents: [0],
      files: new Map([
        ['a', file('1')],
        ['b', file('2')],
      ]),
      time: 2,
    },
    {
      parents: [1],
      files: new Map([
        ['a', file('3')],
        ['b', file('2')],
      ]),
      time: 3,
    },
  ])
  const [first = '', second = '', third = ''] = oids
  // A false answer shows that it was used.
  const known = [
    {
      commit: second,
      entries: [
        { name: 'a', oid: second },
        { name: 'b', oid: first },
      ],
    },
  ]
  expect(
    lastCommits(repo.db, third, '', known).map(({ name, commit }) => [name, commit.oid]),
  ).toEqual([
    ['a', third],
    ['b', first],
  ])
})

test('there is nothing to say about a directory that is not there', () => {
  const repo = new Repo()
  repos.push(repo)
  const [oid = ''] = importCommits(repo, randomHistory(1, { commits: 1 }))
  expect(lastCommits(repo.db, oid, 'no/such/place')).toEqual([])
})

test('of a directory with very many entries the first get their commit', () => {
  const repo = new Repo()
  repos.push(repo)
  const blob = repo.git(['hash-object', '-w', '--stdin'], 'text').trim()
  const listing = Array.from(
    { length: MAX_ENTRIES + 20 },
    (_, at) => `100644 blob ${blob}\tfile-${String(at).padStart(6, '0')}\n`,
  )
  const tree = repo.git(['mktree'], listing.join('')).trim()
  const commit = repo.git(['commit-tree', '-m', 'Wide', tree]).trim()
  repo.db.load()
  const found = lastCommits(repo.db, commit, '')
  expect(found).toHaveLength(MAX_ENTRIES)
  expect(found.at(-1)).toMatchObject({ name: `file-00${MAX_ENTRIES - 1}`, commit: { oid: commit } })
})
