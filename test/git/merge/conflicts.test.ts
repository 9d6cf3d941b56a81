/** Conflicts as somebody who resolves them sees them, and what git makes of the same resolution. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { findConflicts, mergeTrees } from '../../../src/git/merge/index.ts'
import { GitError } from '../../../src/git/index.ts'
import { importCommits, Repo, type File, type Files } from '../history-fixture.ts'

setDefaultTimeout(120_000)

const repo = new Repo()
afterAll(() => repo.remove())

const LIMITS = { maxFiles: 100, maxFileBytes: 1 << 20, maxBytes: 4 << 20 }
const file = (text: string | Uint8Array, mode: File['mode'] = '100644'): File => ({
  mode,
  data: Buffer.from(text),
})
const files = (all: Record<string, File>): Files => new Map(Object.entries(all))

const lines = (change: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('')

function setUp() {
  const binary = new Uint8Array([0, 1, 2])
  const [base = '', ours = '', theirs = ''] = importCommits(repo, [
    {
      parents: [],
      files: files({
        'a.txt': file(lines()),
        'bin.dat': file(binary),
        'gone.txt': file('here\n'),
        'run.sh': file('echo\n', '100755'),
        'same.txt': file('same\n'),
      }),
      time: 1000,
    },
    {
      parents: [0],
      files: files({
        'a.txt': file(lines({ 2: 'two ours', 11: 'eleven' })),
        'bin.dat': file(new Uint8Array([0, 9])),
        'gone.txt': file('changed\n'),
        'run.sh': file('echo ours\n', '100755'),
        'new.txt': file('ours\n'),
        'same.txt': file('same\n'),
      }),
      time: 1001,
    },
    {
      parents: [0],
      files: files({
        'a.txt': file(lines({ 2: 'two theirs', 7: 'seven' })),
        'bin.dat': file(new Uint8Array([0, 8])),
        'run.sh': file('echo theirs\n', '100755'),
        'new.txt': file('theirs\n'),
        'same.txt': file('other\n'),
      }),
      time: 1002,
    },
  ])
  return { base, ours, theirs, db: repo.db }
}

const showParts = (parts: ReturnType<typeof findConflicts>['files'][number]['parts']) =>
  parts?.map((part) =>
    part.kind === 'merged'
      ? String(Buffer.from(part.data))
      : [part.base, part.ours, part.theirs].map((data) => String(Buffer.from(data))),
  ) ?? null

test('each conflict has its versions, and its text by parts', () => {
  const { db, ours, theirs } = setUp()
  const { files: found, total } = findConflicts(db, ours, theirs, LIMITS)
  expect(total).toBe(5)
  expect(
    found.map(({ path, inBase, inOurs, inTheirs, parts }) => [
      path,
      inBase,
      inOurs,
      inTheirs,
      parts !== null,
    ]),
  ).toEqual([
    ['a.txt', true, true, true, true],
    ['bin.dat', true, true, true, false],
    ['gone.txt', true, true, false, false],
    ['new.txt', false, true, true, true],
    ['run.sh', true, true, true, true],
  ])
  expect(found.every(({ isAboutContent }) => isAboutContent)).toBe(true)
  const merged = lines({ 7: 'seven', 11: 'eleven' })
  expect(showParts(found[0]?.parts ?? null)).toEqual([
    'line 1\n',
    ['line 2\n', 'two ours\n', 'two theirs\n'],
    merged.slice(merged.indexOf('line 3')),
  ])
  expect(showParts(found[3]?.parts ?? null)).toEqual([['', 'ours\n', 'theirs\n']])
})

test('the limits leave out text and paths, and say so', () => {
  const { db, ours, theirs } = setUp()
  const few = findConflicts(db, ours, theirs, { ...LIMITS, maxFiles: 2 })
  expect([few.files.length, few.total]).toEqual([2, 5])
  const small = findConflicts(db, ours, theirs, { ...LIMITS, maxFileBytes: 60 })
  expect(small.files.map(({ parts }) => parts !== null)).toEqual([false, false, false, true, true])
})

test('resolutions of all conflicts give a tree with exactly these files', () => {
  const { db, ours, theirs } = setUp()
  const some = [
    { path: 'a.txt', take: 'content' as const, data: Buffer.from('by hand\n') },
    { path: 'bin.dat', take: 'theirs' as const },
    { path: 'gone.txt', take: 'theirs' as const },
  ]
  expect(mergeTrees(db, ours, theirs, some)).toEqual({ conflicts: ['new.txt', 'run.sh'] })
  const merged = mergeTrees(db, ours, theirs, [
    ...some,
    { path: 'new.txt', take: 'ours' },
    { path: 'run.sh', take: 'content', data: Buffer.from('echo both\n') },
  ])
  if (!('tree' in merged)) throw new Error('it conflicts')
  const listed = repo.lines(['ls-tree', '-r', merged.tree]).map((line) => {
    const [mode = '', , , name = ''] = line.split(/\s+/)
    return [name, mode] as const
  })
  expect(repo.git(['cat-file', 'blob', `${merged.tree}:a.txt`])).toBe('by hand\n')
  expect(repo.git(['cat-file', 'blob', `${merged.tree}:run.sh`])).toBe('echo both\n')
  expect(Object.fromEntries(listed)).toEqual({
    'a.txt': '100644',
    'bin.dat': '100644',
    'new.txt': '100644',
    'run.sh': '100755',
    'same.txt': '100644',
  })
})

test('a resolution of a path without such a conflict is refused', () => {
  const { db, ours, theirs } = setUp()
  for (const path of ['same.txt', 'nowhere.txt'])
    expect(() => mergeTrees(db, ours, theirs, [{ path, take: 'ours' }])).toThrow(GitError)
})

test('two renames of one file are not offered for a choice', () => {
  const [, ours = '', theirs = ''] = importCommits(repo, [
    { parents: [], files: files({ 'old.txt': file(lines()) }), time: 2000 },
    { parents: [0], files: files({ 'left.txt': file(lines()) }), time: 2001 },
    { parents: [0], files: files({ 'right.txt': file(lines()) }), time: 2002 },
  ])
  const { files: found } = findConflicts(repo.db, ours, theirs, LIMITS)
  expect(found.length).toBeGreaterThan(0)
  expect(found.some(({ isAboutContent }) => isAboutContent)).toBe(false)
})
