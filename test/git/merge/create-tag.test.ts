import { afterAll, expect, test } from 'bun:test'
import { createTag } from '../../../src/git/merge/index.ts'
import { importCommits, Repo } from '../history-fixture.ts'

const repo = new Repo()
afterAll(() => repo.remove())
const tagger = { name: 'Tess', email: 'tess@example.org', time: 1_700_000_000, zone: '+0100' }
const [commit = ''] = importCommits(repo, [
  { parents: [], files: new Map([['a', { mode: '100644', data: Buffer.from('a') }]]), time: 1 },
])

test('git takes the tag for what it is', () => {
  const oid = createTag(repo.db, {
    object: commit,
    name: 'v1.0',
    message: 'First\n\nwith words',
    tagger,
  })
  expect(repo.git(['cat-file', 'tag', oid])).toBe(
    `object ${commit}\ntype commit\ntag v1.0\ntagger Tess <tess@example.org> 1700000000 +0100\n\nFirst\n\nwith words\n`,
  )
  expect(repo.run(['fsck', '--strict', oid]).status).toBe(0)
  expect(repo.git(['rev-parse', `${oid}^{commit}`]).trim()).toBe(commit)
})

test('bad names and unknown objects are refused', () => {
  for (const name of [
    '',
    'a b',
    'a..b',
    '-x',
    '.a',
    'a/.b',
    'a.lock',
    'a/',
    '/a',
    'a//b',
    'a^',
    'a:b',
    'x\ny',
    '@',
    'a@{b',
  ]) {
    expect(() => createTag(repo.db, { object: commit, name, message: 'm', tagger })).toThrow(
      'not a name',
    )
  }
  expect(() =>
    createTag(repo.db, { object: '3'.repeat(40), name: 'v2', message: 'm', tagger }),
  ).toThrow('missing')
})
