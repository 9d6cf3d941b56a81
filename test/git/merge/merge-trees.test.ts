import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mergeTrees } from '../../../src/git/merge/index.ts'
import {
  importCommits,
  Random,
  randomHistory,
  randomText,
  Repo,
  type File,
  type Files,
} from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

/**
 * What real git says: the tree when clean, else the paths with conflicts (without the suffix of
 * moved files).
 */
function gitMerge(
  repo: Repo,
  ours: string,
  theirs: string,
): { tree: string } | { conflicts: string[] } {
  const done = repo.run([
    'merge-tree',
    '--write-tree',
    '--name-only',
    '--no-messages',
    '--allow-unrelated-histories',
    '-z',
    ours,
    theirs,
  ])
  if (done.status < 0 || done.status > 1) throw new Error(done.stderr)
  const [tree = '', ...paths] = done.stdout.toString('latin1').split('\0').filter(Boolean)
  if (done.status === 0) return { tree }
  return {
    conflicts: [
      ...new Set(
        paths.map((path) =>
          Buffer.from(path.replace(/~[0-9a-f]{40}(_\d+)?/g, ''), 'latin1').toString(),
        ),
      ),
    ],
  }
}

describe('the same tree as git merge-tree, or a conflict where git has one', () => {
  for (let seed = 1; seed <= 12; seed++) {
    test(`history ${seed}`, () => {
      const repo = new Repo()
      repos.push(repo)
      const crossing = seed % 3 === 0
      const mix = {
        merges: crossing ? 0.5 : 0.25,
        renames: seed % 2 ? 0.25 : 0.4,
        collisions: seed % 4 ? 0.05 : 0.2,
      }
      const oids = importCommits(repo, randomHistory(seed, { commits: 24, files: 8, ...mix }))
      const random = new Random(seed)
      for (let i = 0; i < 20; i++) {
        const [a, b] = [random.pick(oids), random.pick(oids)]
        const git = gitMerge(repo, a, b)
        const ours = mergeTrees(repo.db, a, b)
        if ('tree' in git) expect(ours).toEqual(git)
        // Git tells of some conflicts only in words, without a path in its list; ours then lists
        // more, never less.
        else
          expect(
            'conflicts' in ours && git.conflicts.filter((path) => !ours.conflicts.includes(path)),
          ).toEqual([])
      }
    })
  }
})

const file = (data: string | Buffer, mode: File['mode'] = '100644'): File => ({
  mode,
  data: Buffer.from(data),
})
const lines = (n: number, from = 1): string =>
  Array.from({ length: n }, (_, i) => `line ${i + from}\n`).join('')

type Tree = Record<string, File>

/** Three commits: a base and two that follow it; merged by us and by git, which must agree. */
function merge(base: Tree, ours: Tree, theirs: Tree) {
  const repo = new Repo()
  repos.push(repo)
  const files = (tree: Tree): Files => new Map(Object.entries(tree))
  const [, a = '', b = ''] = importCommits(repo, [
    { parents: [], files: files(base), time: 1 },
    { parents: [0], files: files(ours), time: 2 },
    { parents: [0], files: files(theirs), time: 3 },
  ])
  const found = mergeTrees(repo.db, a, b)
  const git = gitMerge(repo, a, b)
  if ('tree' in git) expect(found).toEqual(git)
  else expect('conflicts' in found).toBe(true)
  const read = (path: string): string | null => {
    if (!('tree' in found)) return null
    const shown = repo.run(['cat-file', 'blob', `${found.tree}:${path}`])
    return shown.status === 0 ? shown.stdout.toString('latin1') : null
  }
  return { found, read, repo, a, b }
}

const conflicts = (found: ReturnType<typeof mergeTrees>) =>
  'conflicts' in found ? found.conflicts : null

test('changes to different lines are both taken', () => {
  const text = lines(20)
  const { read } = merge(
    { f: file(text) },
    { f: file(text.replace('line 2\n', 'two\n')) },
    { f: file(text.replace('line 18\n', 'eighteen\n')) },
  )
  expect(read('f')).toBe(text.replace('line 2\n', 'two\n').replace('line 18\n', 'eighteen\n'))
})

test('changes to neighbouring lines are a conflict, and nothing is written', () => {
  const { found, repo } = merge(
    { f: file('1\n2\n3\n') },
    { f: file('one\n2\n3\n') },
    { f: file('1\ntwo\n3\n') },
  )
  expect(conflicts(found)).toEqual(['f'])
  expect(repo.db.written.size).toBe(0)
})

test('line endings and bytes that are not text stay as they are', () => {
  const text = `${Buffer.from(lines(12).replaceAll('\n', '\r\n')).toString('latin1')}\xff\xfe no newline`
  const latin = (data: string) => file(Buffer.from(data, 'latin1'))
  const { read } = merge(
    { f: latin(text) },
    { f: latin(text.replace('line 2', 'zw\xf6lf')) },
    { f: latin(text.replace('line 9', '\xe9')) },
  )
  expect(read('f')).toBe(text.replace('line 2', 'zw\xf6lf').replace('line 9', '\xe9'))
})

test('a change follows a rename on either side', () => {
  const text = lines(20)
  const changed = text.replace('line 5\n', 'five\n')
  expect(merge({ a: file(text) }, { b: file(text) }, { a: file(changed) }).read('b')).toBe(changed)
  expect(merge({ a: file(text) }, { a: file(changed) }, { b: file(text) }).read('b')).toBe(changed)
})

test('renames that do not agree are conflicts', () => {
  const text = lines(20)
  expect(conflicts(merge({ a: file(text) }, { b: file(text) }, { c: file(text) }).found)).toEqual([
    'a',
    'b',
    'c',
  ])
  expect(conflicts(merge({ a: file(text) }, { b: file(text) }, {}).found)).toEqual(['b'])
  const other = { a: file(text), b: file('other\n'), z: file('2') }
  expect(
    conflicts(merge({ a: file(text), z: file('1') }, { b: file(text), z: file('1') }, other).found),
  ).toEqual(['b'])
})

test('one side deletes what the other changes', () => {
  expect(
    conflicts(
      merge({ a: file('1\n'), z: file('') }, { z: file('') }, { a: file('2\n'), z: file('') })
        .found,
    ),
  ).toEqual(['a'])
})

test('a file stands where the other side made a folder', () => {
  expect(
    conflicts(
      merge(
        { z: file('1\n') },
        { a: file('x\n'), z: file('1\n') },
        { 'a/b': file('y\n'), z: file('1\n') },
      ).found,
    ),
  ).toEqual(['a'])
  // The folder came to nothing, so the file has its place.
  const folder = { 'a/b': file('x\n'), z: file('1\n') }
  expect(
    merge(folder, { a: file('y\n'), z: file('1\n') }, { ...folder, z: file('2\n') }).read('a'),
  ).toBe('y\n')
})

test('modes merge like content', () => {
  const { found, repo } = merge(
    { f: file(lines(9)) },
    { f: file(lines(9), '100755') },
    { f: file(lines(9, 0)) },
  )
  expect('tree' in found && repo.git(['ls-tree', found.tree]).startsWith('100755')).toBe(true)
  expect(conflicts(merge({}, { f: file('x\n', '100755') }, { f: file('x\n') }).found)).toEqual([
    'f',
  ])
})

test('binary files, links and submodules are not mixed', () => {
  const odd = (n: number) => file(Buffer.from([0, n, 10, 1, 10, 2, 10]))
  const link = (to: string) => file(to, '120000')
  const module = (digit: string) => file(digit.repeat(40), '160000')
  for (const make of [odd, (n: number) => link(`t${n}`), (n: number) => module(String(n))]) {
    expect(
      conflicts(
        merge(
          { f: make(1), z: file('1') },
          { f: make(2), z: file('1') },
          { f: make(3), z: file('1') },
        ).found,
      ),
    ).toEqual(['f'])
    expect(
      conflicts(
        merge(
          { f: make(1), z: file('1') },
          { f: make(2), z: file('1') },
          { f: make(1), z: file('2') },
        ).found,
      ),
    ).toBeNull()
  }
  expect(conflicts(merge({}, { f: link('x') }, { f: file('x') }).found)).toEqual(['f'])
})

test('a file added to a folder that the other side renamed is put there and shown as a conflict', () => {
  const base = { 'old/a': file(lines(9)), 'old/b': file(lines(9, 20)) }
  const moved = { 'new/a': file(lines(9)), 'new/b': file(lines(9, 20)) }
  expect(conflicts(merge(base, moved, { ...base, 'old/c': file('c\n') }).found)).toEqual(['new/c'])
})

test('crossing histories are merged over the merge of their merge bases', () => {
  const repo = new Repo()
  repos.push(repo)
  const text = (a: string, b: string): Files => new Map([['f', file(`${a}\n${lines(8)}${b}\n`)]])
  const [, , , left = '', right = ''] = importCommits(repo, [
    { parents: [], files: text('a', 'b'), time: 1 },
    { parents: [0], files: text('A', 'b'), time: 2 },
    { parents: [0], files: text('a', 'B'), time: 3 },
    { parents: [1, 2], files: text('A', 'B2'), time: 4 },
    { parents: [2, 1], files: text('A2', 'B'), time: 5 },
  ])
  const found = mergeTrees(repo.db, left, right)
  expect(found).toEqual(gitMerge(repo, left, right))
  expect('tree' in found && repo.git(['cat-file', 'blob', `${found.tree}:f`])).toBe(
    `A2\n${lines(8)}B2\n`,
  )
})

test('many merge bases do not multiply the work', () => {
  const repo = new Repo()
  repos.push(repo)
  const random = new Random(9)
  const wide = 6
  // Every commit of a level is a child of all commits of the level before it.
  const commits = Array.from({ length: 8 * wide + 1 }, (_, i) => ({
    parents:
      i === 0
        ? []
        : i <= wide
          ? [0]
          : Array.from({ length: wide }, (__, n) => (Math.ceil(i / wide) - 2) * wide + 1 + n),
    files: new Map([[`f${i % wide}`, file(randomText(random, 12))]]),
    time: 1000 + i,
  }))
  const oids = importCommits(repo, commits)
  const [a = '', b = ''] = oids.slice(-2)
  expect(['conflicts', 'tree']).toContain(Object.keys(mergeTrees(repo.db, a, b))[0] ?? '')
})

test('unrelated histories merge over nothing', () => {
  const repo = new Repo()
  repos.push(repo)
  const [a = '', b = '', c = ''] = importCommits(repo, [
    { parents: [], files: new Map([['a', file('1\n')]]), time: 1 },
    { parents: [], files: new Map([['b', file('2\n')]]), time: 2 },
    { parents: [], files: new Map([['a', file('other\n')]]), time: 3 },
  ])
  expect(mergeTrees(repo.db, a, b)).toEqual(gitMerge(repo, a, b))
  expect(conflicts(mergeTrees(repo.db, a, c))).toEqual(['a'])
})
