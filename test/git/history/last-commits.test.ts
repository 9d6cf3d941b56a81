import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { lastCommits, listTree } from '../../../src/git/history/index.ts'
import { importCommits, randomHistory, Repo } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(60_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

for (let seed = 1; seed <= 6; seed++) {
  test(`history ${seed}: each entry has the commit that git log -1 gives`, () => {
    const repo = new Repo()
    repos.push(repo)
    const tip = importCommits(repo, randomHistory(seed, { commits: 40, merges: 0.35, files: 8, skew: seed % 3 === 0 })).at(-1) ?? ''
    for (const directory of ['', 'src', 'src/lib', 'doc']) {
      const entries = listTree(repo.db, tip, directory) ?? []
      const found = lastCommits(repo.db, tip, directory)
      expect(found.map(({ name }) => name)).toEqual(entries.map(({ name }) => name))
      for (const { name, commit } of found) {
        if (name.includes('\ufffd')) continue
        const path = directory === '' ? name : `${directory}/${name}`
        expect([path, commit.oid]).toEqual([path, repo.git(['rev-list', '-n1', tip, '--', `:(literal)${path}`]).trim()])
      }
    }
  })
}

test('there is nothing to say about a directory that is not there', () => {
  const repo = new Repo()
  repos.push(repo)
  const [oid = ''] = importCommits(repo, randomHistory(1, { commits: 1 }))
  expect(lastCommits(repo.db, oid, 'no/such/place')).toEqual([])
})
