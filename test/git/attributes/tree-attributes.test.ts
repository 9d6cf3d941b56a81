import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { diffTrees } from '../../../src/git/diff/index.ts'
import { TreeAttributes } from '../../../src/git/attributes/index.ts'
import { mergeTrees } from '../../../src/git/merge/index.ts'
import { treeOf } from '../../../src/git/history/tree.ts'
import { importCommits, Repo, type File } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

const file = (data: string): File => ({ mode: '100644', data: Buffer.from(data, 'latin1') })

function history(...trees: Record<string, string>[]) {
  const repo = new Repo()
  repos.push(repo)
  const oids = importCommits(
    repo,
    trees.map((tree, at) => ({
      parents: at === 0 ? [] : [0],
      files: new Map(Object.entries(tree).map(([path, data]) => [path, file(data)])),
      time: at + 1,
    })),
  )
  return { repo, oids }
}

const RULES = [
  '# a comment',
  '*.txt merge=union',
  '/top.txt -merge',
  'docs/*.md merge=binary',
  'deep/**/x.c !merge',
  '*.c merge',
  '"with space" -diff',
  '[attr]quiet -diff -merge',
  '*.lock quiet',
  '*.bin binary',
  'name[0-9a].h merge=union',
  'sub/ merge=union',
  '!no merge=union',
  'gen?.js linguist-generated',
  'a/**/z merge=union',
  '**/w merge=union',
  'v/** -merge',
  'esc\\*d merge=union',
].join('\n')

const PATHS = [
  'a.txt',
  'top.txt',
  'd/top.txt',
  'docs/a.md',
  'docs/in/a.md',
  'deep/x.c',
  'deep/er/x.c',
  'deep/er/y.c',
  'with space',
  'd/with space',
  'x.lock',
  'x.bin',
  'name1.h',
  'namea.h',
  'nameb.h',
  'sub/a',
  '!no',
  'gen1.js',
  'gen12.js',
  'a/z',
  'a/b/c/z',
  'a/zz',
  'w',
  'd/w',
  'v/1',
  'v/d/1',
  'v',
  'esc*d',
  'escxd',
  'in/a.txt',
  'in/top.txt',
  'in/deeper/a.txt',
]

test('the attributes of every path are those that git check-attr names', () => {
  const { repo, oids } = history({
    '.gitattributes': RULES,
    'in/.gitattributes': '*.txt -merge\ndeeper/*.txt merge=text\n',
    f: 'x',
  })
  const tree = treeOf(repo.db, oids[0] ?? '')
  const ours = new TreeAttributes(repo.db, tree)
  // The index stands for the tree.
  repo.git(['read-tree', oids[0] ?? ''])
  for (const name of ['merge', 'diff', 'linguist-generated']) {
    const said = repo.git(['check-attr', '--cached', '-z', name, '--', ...PATHS]).split('\0')
    for (const [at, path] of PATHS.entries()) {
      const value = ours.of(Buffer.from(path).toString('latin1')).get(name)
      const word =
        value === undefined || value === null
          ? 'unspecified'
          : value === true
            ? 'set'
            : value === false
              ? 'unset'
              : value
      expect([path, name, word]).toEqual([path, name, said[3 * at + 2] ?? ''])
    }
  }
})

const base = '1\n2\n3\n'

test('merge=union keeps the lines of both sides, and -merge is a conflict where lines could be merged', () => {
  const attributes = { '.gitattributes': '*.log merge=union\n*.dat -merge\n' }
  const long = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('')
  const { repo, oids } = history(
    { ...attributes, 'a.log': base, 'a.dat': long, 'b.dat': long },
    { ...attributes, 'a.log': '1\n2\n3\nours\n', 'a.dat': `ours\n${long}`, 'b.dat': long },
    {
      ...attributes,
      'a.log': '1\n2\n3\ntheirs\n',
      'a.dat': `${long}theirs\n`,
      'b.dat': `${long}theirs\n`,
    },
  )
  expect(mergeTrees(repo.db, oids[1] ?? '', oids[2] ?? '')).toEqual({ conflicts: ['a.dat'] })
  const union = history(
    { ...attributes, 'a.log': base },
    { ...attributes, 'a.log': '1\n2\n3\nours' },
    { ...attributes, 'a.log': '1\n2\n3\ntheirs' },
  )
  const merged = mergeTrees(union.repo.db, union.oids[1] ?? '', union.oids[2] ?? '')
  const versions = [1, 0, 2].map((at) => {
    const path = `${union.repo.directory}/${at}`
    writeFileSync(path, union.repo.run(['cat-file', 'blob', `${union.oids[at]}:a.log`]).stdout)
    return path
  })
  const wanted = union.repo.git(['merge-file', '-p', '--union', ...versions])
  expect('tree' in merged && union.repo.git(['cat-file', 'blob', `${merged.tree}:a.log`])).toBe(
    wanted,
  )
})

test('what our side says counts: a change cannot say how it is merged or shown', () => {
  const { repo, oids } = history(
    { f: base },
    { f: '1\nours\n3\n' },
    { f: '1\ntheirs\n3\n', '.gitattributes': 'f merge=union -diff linguist-generated\n' },
  )
  expect(mergeTrees(repo.db, oids[1] ?? '', oids[2] ?? '')).toEqual({ conflicts: ['f'] })
  const shown = (from: number, to: number) =>
    diffTrees(repo.db, oids[from] ?? '', oids[to] ?? '').files.find(({ path }) => path === 'f')
  expect(shown(0, 2)).toMatchObject({ binary: false, generated: null, additions: 1 })
  expect(shown(2, 0)).toMatchObject({
    binary: true,
    generated: true,
    hunks: null,
    reason: 'binary',
  })
})
