import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { commitFiles } from '../../../src/git/merge/index.ts'
import type { FileChange, Signature } from '../../../src/git/ports.ts'
import { importCommits, Repo, type File } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

const author: Signature = {
  name: 'Ann',
  email: 'ann@example.org',
  time: 1_700_000_000,
  zone: '+0000',
}
const bytes = (text: string) => new TextEncoder().encode(text)
const put = (path: string, text = `${path}\n`): FileChange => ({
  action: 'put',
  path,
  data: bytes(text),
})

function make() {
  const repo = new Repo()
  repos.push(repo)
  const file = (text: string, mode: File['mode'] = '100644'): File => ({
    mode,
    data: Buffer.from(text),
  })
  const [parent = ''] = importCommits(repo, [
    {
      parents: [],
      time: 1,
      files: new Map([
        ['a', file('a\n')],
        ['run', file('#!\n', '100755')],
        ['d/x', file('x\n')],
        ['d/e/y', file('y\n')],
      ]),
    },
  ])
  const commit = (...changes: FileChange[]) =>
    commitFiles(repo.db, { parent, changes, message: 'change', author, committer: author })
  const list = (oid: string) =>
    repo.git(['ls-tree', '-r', '--format=%(objectmode) %(path)', oid]).trim().split('\n')
  return { repo, parent, commit, list }
}

test('puts, moves and deletes make one commit that git finds sound', () => {
  const { repo, parent, commit, list } = make()
  const made = commit(
    put('n/e/w'),
    put('a', 'changed\n'),
    { action: 'move', from: 'run', path: 'bin/run' },
    { action: 'delete', path: 'd/e/y' },
    { action: 'put', path: 'link', data: bytes('a'), mode: '120000' },
    put('größe'),
  )
  const quoted = '"gr\\303\\266\\303\\237e"'
  expect(list(made.commit)).toEqual([
    '100644 a',
    '100755 bin/run',
    '100644 d/x',
    `100644 ${quoted}`,
    '120000 link',
    '100644 n/e/w',
  ])
  expect(repo.git(['log', '-1', '--format=%P %T', made.commit]).trim()).toBe(
    `${parent} ${made.tree}`,
  )
  expect(repo.git(['cat-file', 'blob', `${made.commit}:a`])).toBe('changed\n')
  const fsck = repo.run(['fsck', '--strict', made.commit])
  expect([fsck.status, fsck.stdout.toString()]).toEqual([0, ''])
})

test('a root commit needs no parent', () => {
  const { repo, list } = make()
  const made = commitFiles(repo.db, {
    parent: null,
    changes: [put('only')],
    message: 'm',
    author,
    committer: author,
  })
  expect(list(made.commit)).toEqual(['100644 only'])
  expect(repo.git(['rev-list', '--count', made.commit]).trim()).toBe('1')
})

test('a file put again keeps its mode, and folders without files vanish', () => {
  const { commit, list } = make()
  expect(list(commit(put('run', 'new\n')).commit)).toContain('100755 run')
  expect(
    list(commit({ action: 'delete', path: 'd/e/y' }, { action: 'delete', path: 'd/x' }).commit),
  ).toEqual(['100644 a', '100755 run'])
})

test('places become free within one commit', () => {
  const { commit, list } = make()
  const emptied = commit(
    { action: 'delete', path: 'd/x' },
    { action: 'delete', path: 'd/e/y' },
    put('d'),
  )
  expect(list(emptied.commit)).toEqual(['100644 a', '100644 d', '100755 run'])
  expect(list(commit({ action: 'delete', path: 'a' }, put('a/b')).commit)).toEqual([
    '100644 a/b',
    '100644 d/e/y',
    '100644 d/x',
    '100755 run',
  ])
  const swapped = commit(
    { action: 'move', from: 'a', path: 'b' },
    { action: 'move', from: 'run', path: 'a' },
  )
  expect(list(swapped.commit)).toEqual(['100755 a', '100644 b', '100644 d/e/y', '100644 d/x'])
  expect(list(commit({ action: 'move', from: 'a', path: 'a/a' }).commit)).toContain('100644 a/a')
})

describe('refused with the path named, and without a commit', () => {
  const cases: [string, FileChange[], string][] = [
    ['deleting what is not there', [put('ok'), { action: 'delete', path: 'no/pe' }], 'no/pe'],
    ['moving what is not there', [{ action: 'move', from: 'gone', path: 'b' }], 'gone'],
    ['moving onto a file', [{ action: 'move', from: 'a', path: 'run' }], 'run'],
    [
      'moving a folder',
      [{ action: 'move', from: 'd', path: 'f' }],
      '"d" is to be moved, but it is a folder',
    ],
    [
      'deleting a folder',
      [{ action: 'delete', path: 'd' }],
      '"d" is to be deleted, but it is a folder',
    ],
    ['a file below a file', [put('a/b')], 'a/b'],
    ['a file in place of a folder', [put('d')], '"d"'],
    ['a link to nothing', [{ action: 'put', path: 'l', data: bytes(''), mode: '120000' }], '"l"'],
    [
      'a link that git reads',
      [{ action: 'put', path: 'x/.gitmodules', data: bytes('a'), mode: '120000' }],
      '.gitmodules',
    ],
  ]
  for (const [name, changes, path] of cases) {
    test(name, () => {
      const { repo, commit } = make()
      const before = repo
        .git(['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'])
        .match(/commit/g)?.length
      expect(() => commit(...changes)).toThrow(path)
      expect(
        repo
          .git(['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'])
          .match(/commit/g)?.length,
      ).toBe(before)
    })
  }

  const bad = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    './a',
    'a/.',
    'nul\0',
    '.git',
    '.GIT',
    '.Git/config',
    'a/.git/hooks/x',
    '.git.',
    '.git ',
    '.git...',
    'git~1',
    'GIT~1/x',
    '.g\u200cit',
    '.git\u200d',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    'a\\.git',
    'a\\..\\b',
    '\ud800',
    'x'.repeat(256),
    `${'a/'.repeat(2049)}a`,
  ]
  test.each(bad.map((path) => [JSON.stringify(path).slice(0, 60), path]))('path %s', (_, path) => {
    const { commit } = make()
    expect(() => commit(put(path))).toThrow(/^path /)
    expect(() => commit({ action: 'move', from: 'a', path })).toThrow(/^path /)
  })

  test('names that only look bad are fine', () => {
    const { commit } = make()
    const names = [
      '.gitignore',
      '.github/workflows/x.yml',
      'git',
      'a.git',
      '.gitx',
      '...',
      'a..b',
      'c:d',
      ' ',
      'x y',
      '.git2',
      'git~2',
    ]
    expect(() => commit(...names.map((name) => put(name)))).not.toThrow()
  })
})
