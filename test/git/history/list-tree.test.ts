import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { findEntry, languages, listTree, outlineTree } from '../../../src/git/history/index.ts'
import { walkTree } from '../../../src/git/history/list-tree.ts'
import { ScratchDatabase } from '../../../src/git/merge/index.ts'
import { MODE, serializeTree } from '../../../src/git/object.ts'
import { importCommits, randomHistory, Repo } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))
const make = () => {
  const repo = new Repo()
  repos.push(repo)
  return repo
}
const TYPES: Record<string, string> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'dir',
}

test('listings have what git ls-tree has', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const repo = make()
    const tip = importCommits(repo, randomHistory(seed, { commits: 12, files: 10 })).at(-1) ?? ''
    const git = (...args: string[]) =>
      repo
        .git(['ls-tree', '-l', '-z', ...args])
        .split('\0')
        .filter(Boolean)
        .map((row) => {
          const [info = ''] = row.split('\t')
          const [mode = '', , oid, size] = info.split(/ +/)
          const path = Buffer.from(row.slice(info.length + 1), 'latin1').toString()
          return [path, TYPES[mode], mode, oid, size === '-' ? null : size].join()
        })
    const strip = (entries: ReturnType<typeof listTree>) =>
      (entries ?? []).map(({ path, type, mode, oid, size }) => [path, type, mode, oid, size].join())
    expect(strip(listTree(repo.db, tip, '', { sizes: true }))).toEqual(git(tip))
    expect(strip(listTree(repo.db, tip, '', { sizes: true, recursive: true }))).toEqual(
      git('-r', '-t', tip),
    )
    for (const entry of listTree(repo.db, tip, '', { recursive: true }) ?? []) {
      expect(findEntry(repo.db, tip, entry.path)?.oid).toBe(entry.oid)
    }
  }
})

test('what is not there is null, and a file is not a directory', () => {
  const repo = make()
  const file = { mode: '100644' as const, data: Buffer.from('hello') }
  const [oid = ''] = importCommits(repo, [
    {
      parents: [],
      files: new Map([
        ['a/b', file],
        ['c\xff', file],
      ]),
      time: 1,
    },
  ])
  expect(listTree(repo.db, oid, 'a/b')).toBeNull()
  expect(listTree(repo.db, oid, 'nope')).toBeNull()
  expect(findEntry(repo.db, oid, 'a/b/c')).toBeNull()
  expect(findEntry(repo.db, oid, '/a/b/')?.size).toBe(5)
  expect(findEntry(repo.db, oid, '')?.type).toBe('dir')
  // A name that is not UTF-8 is shown with a replacement character and can be asked for that way.
  expect(findEntry(repo.db, oid, 'c\ufffd')?.name).toBe('c\ufffd')
  expect(() => listTree(repo.db, oid, 'x/'.repeat(3000))).toThrow('longer than')
})

test('a few trees that stand for billions of paths are refused, and so is bottomless nesting', () => {
  const db = new ScratchDatabase(make().db)
  const encoder = new TextEncoder()
  const folder = (names: readonly string[], oid: string) =>
    db.write(
      'tree',
      serializeTree(names.map((name) => ({ mode: MODE.dir, name: encoder.encode(name), oid }))),
    )
  const empty = db.write('tree', serializeTree([]))
  let wide = empty
  for (let level = 0; level < 9; level++)
    wide = folder(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], wide)
  expect(() => {
    let paths = 0
    for (const { path } of walkTree(db, wide)) if (path !== '') paths++
    throw new Error(`${paths} paths were listed`)
  }).toThrow('more than')
  expect(() => languages(db, wide)).toThrow('more than')
  let deep = empty
  for (let level = 0; level < 1500; level++) deep = folder(['d'], deep)
  expect(listTree(db, deep, '', { recursive: true })).toHaveLength(1500)
  for (let level = 0; level < 1500; level++) deep = folder(['d'], deep)
  expect(() => listTree(db, deep, '', { recursive: true })).toThrow('too deeply')
  expect(() => languages(db, deep)).toThrow('too deeply')
})

test('a listing by names has those entries only, at any depth', () => {
  const repo = make()
  const file = { mode: '100644' as const, data: Buffer.from('x') }
  const names = ['a.lock', 'b/a.lock', 'b/c/req-dev.txt', 'b/req.txt', 'b/areq.txt', 'a.lock.bak']
  const [oid = ''] = importCommits(repo, [
    { parents: [], files: new Map(names.map((name) => [name, file])), time: 1 },
  ])
  const listed = (wanted: readonly string[]) =>
    listTree(repo.db, oid, '', { recursive: true, names: wanted })?.map(({ path }) => path)
  expect(listed(['a.lock', 'req*.txt'])).toEqual([
    'a.lock',
    'b/a.lock',
    'b/c/req-dev.txt',
    'b/req.txt',
  ])
  expect(listed([])).toEqual([])
})

const WIDE = 2000

/** A tree with many files and three directories, and what was read of its objects. */
function wideTree() {
  const objects = new ScratchDatabase(make().db)
  const empty = objects.write('tree', serializeTree([]))
  const blob = objects.write('blob', Buffer.from('text'))
  const names = Array.from({ length: WIDE }, (_, n) => `file-${String(n).padStart(5, '0')}`)
  const folder = (name: string) => ({ name: Buffer.from(name), mode: MODE.dir, oid: empty })
  const tree = objects.write(
    'tree',
    serializeTree([
      folder('a'),
      ...names.map((name) => ({ name: Buffer.from(name), mode: MODE.file, oid: blob })),
      folder('m'),
      folder('z'),
    ]),
  )
  const counts = { headers: 0, reads: 0 }
  const db = {
    read: (oid: string) => (counts.reads++, objects.read(oid)),
    header: (oid: string) => (counts.headers++, objects.header(oid)),
    has: (oid: string) => objects.has(oid),
  }
  return { db, tree, names, counts }
}

test('a page of a large directory reads the sizes of its own entries alone', () => {
  const { db, tree, counts } = wideTree()
  const all = listTree(db, tree, '', { sizes: true }) ?? []
  expect(all).toHaveLength(WIDE + 3)
  const whole = { ...counts }
  for (const recursive of [false, true]) {
    Object.assign(counts, { headers: 0, reads: 0 })
    const page = listTree(db, tree, '', { sizes: true, recursive, offset: 1000, limit: 30 })
    expect(page).toEqual(all.slice(1000, 1030))
    expect(whole.headers - counts.headers).toBe(WIDE - 30)
  }
  expect(listTree(db, tree, '', { offset: WIDE + 3, limit: 30 })).toEqual([])
  expect(listTree(db, tree, '', { offset: WIDE, limit: 30 })).toEqual(
    all.slice(WIDE).map((entry) => ({ ...entry, size: null })),
  )
})

test('an outline has folders first, its total, and the entry that is asked for', () => {
  const { db, tree, names } = wideTree()
  const folders = ['a', 'm', 'z'].map((name) => ({ name, folder: true }))
  const files = names.map((name) => ({ name, folder: false }))
  const outline = (limit: number, include: string | null) =>
    outlineTree(db, tree, '', { limit, include })
  expect(outline(5, null)).toEqual({
    entries: [...folders, ...files.slice(0, 2)],
    total: WIDE + 3,
  })
  expect(outline(5, names[1] ?? '')?.entries).toEqual([...folders, ...files.slice(0, 2)])
  expect(outline(5, names[1500] ?? '')?.entries).toEqual([
    ...folders,
    ...files.slice(0, 2),
    ...files.slice(1500, 1501),
  ])
  expect(outline(1, 'z')?.entries).toEqual([...folders.slice(0, 1), ...folders.slice(2)])
  expect(outline(5, 'no-such-name')?.entries).toHaveLength(5)
  expect(outlineTree(db, tree, 'file-00001', { limit: 5, include: null })).toBeNull()
})
