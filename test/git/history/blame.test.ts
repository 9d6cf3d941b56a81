import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { blame, findEntry, listTree } from '../../../src/git/history/index.ts'
import type { CachedBlame } from '../../../src/git/ports.ts'
import { importCommits, randomHistory, Repo, type Files } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

/** Commit and file name for each line, from `git blame --porcelain`. */
function gitBlame(repo: Repo, commit: string, path: string, ...range: string[]): string[] {
  const lines: string[] = []
  const files = new Map<string, string>()
  let oid = ''
  for (const line of repo.lines(['blame', '--porcelain', ...range, commit, '--', path])) {
    const start = /^([0-9a-f]{40}) \d+ \d+/.exec(line)
    if (line.startsWith('\t')) lines.push(`${oid} ${files.get(oid)}`)
    else if (line.startsWith('filename ')) files.set(oid, line.slice(9))
    else if (start) oid = start[1] ?? ''
  }
  return lines
}

function ourBlame(
  repo: Repo,
  commit: string,
  path: string,
  range?: { from: number; to: number },
): string[] {
  const lines: string[] = []
  for (const { from_line, to_line, commit: by, path: name } of blame(
    repo.db,
    commit,
    path,
    range,
  )) {
    for (let line = from_line; line <= to_line; line++) lines.push(`${by.oid} ${name}`)
  }
  return lines
}

for (let seed = 1; seed <= 8; seed++) {
  test(`history ${seed}: every line of every file, as git blame has it`, () => {
    const repo = new Repo()
    repos.push(repo)
    const oids = importCommits(
      repo,
      randomHistory(seed, { commits: 40, merges: 0.3, files: 6, renames: 0.2 }),
    )
    const tip = oids.at(-1) ?? ''
    for (const row of repo.git(['ls-tree', '-r', '-z', tip]).split('\0')) {
      const [info = '', path = ''] = row.split('\t')
      // Names that git would quote are compared by the other tests.
      if (path === '' || row.includes('"') || /[^ -~]/.test(path) || info.startsWith('160000'))
        continue
      const git = gitBlame(repo, tip, path)
      const plain = git.filter((line) => !line.includes('"'))
      const ours = ourBlame(repo, tip, path)
      expect(ours).toHaveLength(git.length)
      expect(ours.filter((_, i) => !git[i]?.includes('"'))).toEqual(plain)
      if (git.length >= 5)
        expect(ourBlame(repo, tip, path, { from: 2, to: 4 })).toEqual(ours.slice(1, 4))
    }
  })
}

test('with the lines of earlier versions known, it is the same answer', () => {
  let used = 0
  for (let seed = 1; seed <= 4; seed++) {
    const repo = new Repo()
    repos.push(repo)
    const oids = importCommits(
      repo,
      randomHistory(seed, { commits: 40, merges: 0.3, files: 6, renames: 0.2 }),
    )
    const tip = oids.at(-1) ?? ''
    for (const { path, type } of listTree(repo.db, tip, '', { recursive: true }) ?? []) {
      if (type !== 'file' || path.includes('\ufffd')) continue
      const known = [8, 20, 33].flatMap((at): CachedBlame[] => {
        const commit = oids[at] ?? ''
        if (findEntry(repo.db, commit, path)?.type !== 'file') return []
        return [
          {
            commit,
            path,
            ranges: blame(repo.db, commit, path).map(
              ({ from_line, to_line, commit: { oid }, path: name }) => ({
                from_line,
                to_line,
                oid,
                path: name,
              }),
            ),
          },
        ]
      })
      used += known.length
      for (const some of [known, ...known.map((one) => [one])])
        expect(blame(repo.db, tip, path, undefined, some)).toEqual(blame(repo.db, tip, path))
    }
  }
  expect(used).toBeGreaterThan(0)
})

const text = (data: string): Files => new Map([['a', { mode: '100644', data: Buffer.from(data) }]])

test('what cannot be blamed is said by name', () => {
  const repo = new Repo()
  repos.push(repo)
  const files: Files = new Map([
    ...text('one\n'),
    ['d/b', { mode: '100644', data: Buffer.from('') }],
  ])
  const [oid = ''] = importCommits(repo, [{ parents: [], files, time: 1 }])
  expect(() => blame(repo.db, oid, 'nowhere')).toThrow('nowhere')
  expect(() => blame(repo.db, oid, 'd')).toThrow('d is not a file')
  expect(blame(repo.db, oid, 'd/b')).toEqual([])
  expect(blame(repo.db, oid, 'a', { from: 2, to: 9 })).toEqual([])
})

test('a merge hands lines to the parent that had them', () => {
  const repo = new Repo()
  repos.push(repo)
  const [root = '', left = '', right = '', merge = ''] = importCommits(repo, [
    { parents: [], files: text('1\n2\n3\n4\n5\n6\n7\n'), time: 1 },
    { parents: [0], files: text('one\n2\n3\n4\n5\n6\n7\n'), time: 2 },
    { parents: [0], files: text('1\n2\n3\n4\n5\n6\nseven\n'), time: 3 },
    { parents: [1, 2], files: text('one\n2\n3\nown\n5\n6\nseven\n'), time: 4 },
  ])
  const found = blame(repo.db, merge, 'a').map(
    ({ from_line, to_line, commit }) => `${from_line} ${to_line} ${commit.oid}`,
  )
  expect(found).toEqual([
    `1 1 ${left}`,
    `2 3 ${root}`,
    `4 4 ${merge}`,
    `5 6 ${root}`,
    `7 7 ${right}`,
  ])
})
