import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  aheadBehind,
  findReachingTips,
  isReachable,
  mergeBases,
} from '../../../src/git/history/index.ts'
import {
  importCommits,
  Random,
  randomHistory,
  Repo,
  type Commit,
  type Files,
} from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))
function make(commits: readonly Commit[]) {
  const repo = new Repo()
  repos.push(repo)
  return { repo, oids: importCommits(repo, commits) }
}

for (let seed = 1; seed <= 8; seed++) {
  test(`history ${seed}: merge bases, ahead and behind, ancestors are git's`, () => {
    const { repo, oids } = make(
      randomHistory(seed, { commits: 40, merges: 0.45, skew: seed % 2 === 0 }),
    )
    const random = new Random(seed)
    for (let i = 0; i < 12; i++) {
      const [a, b] = [random.pick(oids), random.pick(oids)]
      expect(findReachingTips(repo.db, a, oids)).toEqual(
        oids.filter((oid) => isReachable(repo.db, a, [oid])),
      )
      const bases = repo
        .run(['merge-base', '--all', a, b])
        .stdout.toString()
        .split('\n')
        .filter(Boolean)
      expect(mergeBases(repo.db, a, b)).toEqual(bases)
      const counts = repo
        .git(['rev-list', '--left-right', '--count', `${a}...${b}`])
        .trim()
        .split('\t')
        .map(Number)
      expect(aheadBehind(repo.db, a, b)).toEqual({
        ahead: counts[0] ?? -1,
        behind: counts[1] ?? -1,
        mergeBase: bases[0] ?? null,
      })
      expect(isReachable(repo.db, a, [b])).toBe(
        repo.run(['merge-base', '--is-ancestor', a, b]).status === 0,
      )
    }
  })
}

const files: Files = new Map([['a', { mode: '100644', data: Buffer.from('x\n') }]])

test('commits without common history have no merge base', () => {
  const { repo, oids } = make([
    { parents: [], files, time: 1 },
    { parents: [], files, time: 2 },
  ])
  const [a = '', b = ''] = oids
  expect(mergeBases(repo.db, a, b)).toEqual([])
  expect(aheadBehind(repo.db, a, b)).toEqual({ ahead: 1, behind: 1, mergeBase: null })
  expect(isReachable(repo.db, a, [b])).toBe(false)
})

test('a commit with a clock far behind is still found', () => {
  const { repo, oids } = make([
    { parents: [], files, time: 2_000_000_000 },
    { parents: [0], files, time: 5 },
    { parents: [1], files, time: 1_900_000_000 },
  ])
  const [root = '', , tip = ''] = oids
  expect(isReachable(repo.db, root, [tip])).toBe(true)
  expect(mergeBases(repo.db, root, tip)).toEqual([root])
})

test('objects that are not commits are reachable only as tips themselves', () => {
  const { repo, oids } = make([{ parents: [], files, time: 1 }])
  const tree = repo.git(['rev-parse', `${oids[0]}^{tree}`]).trim()
  expect(isReachable(repo.db, tree, oids)).toBe(false)
  expect(isReachable(repo.db, tree, [tree])).toBe(true)
  expect(findReachingTips(repo.db, tree, [tree, ...oids])).toEqual([tree])
  expect(findReachingTips(repo.db, oids[0] ?? '', [tree, oids[0] ?? ''])).toEqual([oids[0] ?? ''])
  expect(isReachable(repo.db, '2'.repeat(40), oids)).toBe(false)
})
