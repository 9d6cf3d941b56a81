import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { diffTrees } from '../../../src/git/diff/index.ts'
import { MODE, serializeTree } from '../../../src/git/object.ts'
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

type Row = [status: string, from: string, to: string, additions: string, deletions: string]

/** `git diff-tree --raw --numstat` as rows. */
function gitRows(repo: Repo, a: string, b: string): Row[] {
  const parts = repo
    .git(['diff-tree', '-r', '-z', '-M', '--histogram', '--raw', '--numstat', a, b])
    .split('\0')
  const text = (key = '') => Buffer.from(key, 'latin1').toString()
  const rows: Row[] = []
  let at = 0
  for (; parts[at]?.startsWith(':'); at++) {
    const status = parts[at]?.split(' ').at(-1) ?? ''
    const from = text(parts[++at])
    rows.push([status, from, status.startsWith('R') ? text(parts[++at]) : from, '', ''])
  }
  for (const row of rows) {
    const [, additions = '', deletions = '', path = ''] =
      /^(\S+)\t(\S+)\t([^]*)$/.exec(parts[at] ?? '') ?? []
    at += path === '' ? 3 : 1
    row[3] = additions
    row[4] = deletions
  }
  return rows
}

const LETTER = {
  added: 'A',
  removed: 'D',
  modified: 'M',
  type_changed: 'T',
  renamed: 'R',
  copied: 'C',
} as const

function ourRows(repo: Repo, a: string, b: string): Row[] {
  return diffTrees(repo.db, a, b).files.map((file) => [
    LETTER[file.status] +
      (file.similarity === null ? '' : String(file.similarity).padStart(3, '0')),
    file.old_path ?? file.path,
    file.path,
    file.binary ? '-' : String(file.additions),
    file.binary ? '-' : String(file.deletions),
  ])
}

describe("files, renames with their similarity, and counts are git's", () => {
  for (let seed = 1; seed <= 8; seed++) {
    test(`history ${seed}`, () => {
      const repo = new Repo()
      repos.push(repo)
      const oids = importCommits(
        repo,
        randomHistory(seed + 70, { commits: 18, files: 8, renames: 0.4 }),
      )
      const random = new Random(seed)
      for (let i = 0; i < 20; i++) {
        const [a, b] = [random.pick(oids), random.pick(oids)]
        expect(ourRows(repo, a, b)).toEqual(gitRows(repo, a, b))
      }
    })
  }
})

const file = (data: string | Buffer, mode: File['mode'] = '100644'): File => ({
  mode,
  data: Buffer.from(data),
})

function between(before: Files, after: Files) {
  const repo = new Repo()
  repos.push(repo)
  const [a = '', b = ''] = importCommits(repo, [
    { parents: [], files: before, time: 1 },
    { parents: [0], files: after, time: 2 },
  ])
  return { repo, a, b }
}

test('hunks have lines with numbers, a heading and the missing newline', () => {
  const head = `function one() {\n${'  x\n'.repeat(9)}`
  const { repo, a, b } = between(
    new Map([['f', file(`${head}  old\n}\nlast`)]]),
    new Map([['f', file(`${head}  new\n}\nlast\n`)]]),
  )
  const [found] = diffTrees(repo.db, a, b).files
  expect(found?.hunks).toEqual([
    {
      old_start: 8,
      old_lines: 6,
      new_start: 8,
      new_lines: 6,
      heading: 'function one() {',
      lines: [
        { kind: 'context', old: 8, new: 8, text: '  x', no_newline: false },
        { kind: 'context', old: 9, new: 9, text: '  x', no_newline: false },
        { kind: 'context', old: 10, new: 10, text: '  x', no_newline: false },
        { kind: 'del', old: 11, new: null, text: '  old', no_newline: false },
        { kind: 'add', old: null, new: 11, text: '  new', no_newline: false },
        { kind: 'context', old: 12, new: 12, text: '}', no_newline: false },
        { kind: 'del', old: 13, new: null, text: 'last', no_newline: true },
        { kind: 'add', old: null, new: 13, text: 'last', no_newline: false },
      ],
    },
  ])
})

test('only the page has hunks, and everything is counted', () => {
  const names = ['a', 'b', 'c', 'd']
  const { repo, a, b } = between(new Map(), new Map(names.map((name) => [name, file('1\n2\n')])))
  const { files, totals } = diffTrees(repo.db, a, b, { skip: 1, limit: 2 })
  expect(totals).toEqual({ files: 4, additions: 8, deletions: 0 })
  expect(files.map((f) => [f.path, f.additions, f.hunks?.length ?? null, f.reason])).toEqual([
    ['a', 2, null, 'page_limit'],
    ['b', 2, 1, null],
    ['c', 2, 1, null],
    ['d', 2, null, 'page_limit'],
  ])
  expect(
    diffTrees(repo.db, a, b, { hunks: false }).files.every(
      (f) => f.hunks === null && f.reason === null && f.additions === 2,
    ),
  ).toBe(true)
})

test('large and binary files say why they have no hunks', () => {
  const lines = 'x\n'.repeat(50)
  const after = new Map([
    ['bin', file('b\0')],
    ['long', file(lines)],
    ['wide', file('y'.repeat(200))],
  ])
  const { repo, a, b } = between(new Map([['bin', file('a\0')]]), after)
  const rows = diffTrees(repo.db, a, b, { maxLines: 40, maxBytes: 150 }).files.map((f) => [
    f.path,
    f.binary,
    f.additions,
    f.hunks,
    f.reason,
  ])
  expect(rows).toEqual([
    ['bin', true, 0, null, 'binary'],
    ['long', false, 50, null, 'too_large'],
    ['wide', false, 1, null, 'too_large'],
  ])
})

test('a file that becomes a link is replaced whole', () => {
  const { repo, a, b } = between(
    new Map([['f', file('one\ntwo\n')]]),
    new Map([['f', file('target', '120000')]]),
  )
  const [found] = diffTrees(repo.db, a, b).files
  expect([found?.status, found?.old_mode, found?.mode, found?.additions, found?.deletions]).toEqual(
    ['type_changed', '100644', '120000', 1, 2],
  )
})

test('a submodule that moves on shows both commits', () => {
  const { repo, a, b } = between(
    new Map([['s', file('1'.repeat(40), '160000')]]),
    new Map([['s', file('2'.repeat(40), '160000')]]),
  )
  const [found] = diffTrees(repo.db, a, b).files
  expect(found?.hunks?.[0]?.lines.map((line) => line.text)).toEqual([
    `Subproject commit ${'1'.repeat(40)}`,
    `Subproject commit ${'2'.repeat(40)}`,
  ])
})

test('beyond a thousand candidates only equal files are paired', () => {
  const random = new Random(1)
  const before: Files = new Map()
  const after: Files = new Map()
  for (let i = 0; i < 1100; i++) {
    const data = Buffer.concat([Buffer.from(`file ${i}\n`), randomText(random, 3)])
    before.set(`old/${i}`, file(data))
    after.set(`new/n${i}`, i < 50 ? file(data) : file(Buffer.concat([data, Buffer.from('more\n')])))
  }
  const { repo, a, b } = between(before, after)
  expect(
    diffTrees(repo.db, a, b, { hunks: false }).files.filter((f) => f.status === 'renamed'),
  ).toHaveLength(50)
})

test('trees that stand for billions of paths are refused', () => {
  const repo = new Repo()
  repos.push(repo)
  let tree = repo.db.write('tree', serializeTree([]))
  for (let level = 0; level < 9; level++) {
    const oid = tree
    const entries = Array.from({ length: 12 }, (_, i) => ({
      mode: MODE.dir,
      name: Buffer.from(`d${i}`),
      oid,
    }))
    tree = repo.db.write('tree', serializeTree(entries))
  }
  expect(() => diffTrees(repo.db, null, tree)).toThrow('differ')
})
