import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getPullChanges } from '#features/pulls/changes/get-pull-changes.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('compares with the merge base, file by file, with hunks', async () => {
  const { world, otto, draft, ref, pull } = await makePullWorld()
  const base = ref('main')
  const number = await draft(otto, {
    'a.txt': text({ 10: 'ten' }),
    'new.txt': 'new\n',
    'b.txt': null,
  })
  await world.commit(REPO, 'main', { 'theirs.txt': 'theirs\n' })
  const changes = await world.call(getPullChanges, anonymous, { repo: REPO, number })
  expect(changes).toMatchObject({
    base_sha: ref('main'),
    merge_base_sha: base,
    head_sha: pull(number).head_sha,
    since_sha: null,
    truncated: false,
    next: null,
  })
  expect(changes.totals).toEqual({ files: 3, additions: 2, deletions: 2 })
  expect(changes.files.map(({ path, status }) => [path, status])).toEqual([
    ['a.txt', 'modified'],
    ['b.txt', 'removed'],
    ['new.txt', 'added'],
  ])
  const [hunk] = changes.files[0]?.hunks ?? []
  expect(hunk).toMatchObject({ old_start: 7, old_lines: 7, new_start: 7, new_lines: 7 })
  expect(hunk?.lines.filter(({ kind }) => kind !== 'context')).toEqual([
    { kind: 'del', old: 10, new: null, text: 'line 10' },
    { kind: 'add', old: null, new: 10, text: 'ten' },
  ])
  expect(changes.files[2]?.patch).toContain('+new\n')
})

test('pages by files; path gives one file or folder; context is as asked', async () => {
  const { world, otto, draft } = await makePullWorld()
  const number = await draft(otto, {
    'a.txt': text({ 10: 'ten' }),
    'docs/guide.txt': 'better\n',
    'docs/more.txt': 'more\n',
  })
  const page = (input: object) => world.call(getPullChanges, otto, { repo: REPO, number, ...input })
  const first = await page({ per_page: 2 })
  expect([first.files.map(({ path }) => path), first.next, first.totals.files]).toEqual([
    ['a.txt', 'docs/guide.txt'],
    '2',
    3,
  ])
  const second = await page({ per_page: 2, cursor: first.next })
  expect([second.files.map(({ path }) => path), second.next]).toEqual([['docs/more.txt'], null])
  expect((await page({ path: 'docs' })).files.map(({ path }) => path)).toEqual([
    'docs/guide.txt',
    'docs/more.txt',
  ])
  expect((await page({ path: 'a.txt', context: 0 })).files[0]?.hunks[0]).toMatchObject({
    old_start: 10,
    old_lines: 1,
  })
  expect((await page({ path: 'nothing' })).files).toEqual([])
  expect(await refusal(page({ context: 1000 }))).toMatchObject({ status: 422, field: 'context' })
})

test('since shows what changed after an earlier head, and nothing of a base that was merged in', async () => {
  const { world, otto, draft, pull, fork, mergeBaseIn } = await makePullWorld()
  const number = await draft(otto, { 'b.txt': 'first\n' })
  const since = pull(number).head_sha ?? ''
  await world.commit(fork(number), 'main', { 'b.txt': 'second\n' }, { as: otto })
  await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
  await mergeBaseIn(number, otto)
  const changes = await world.call(getPullChanges, otto, {
    repo: REPO,
    number,
    since: since.slice(0, 12),
  })
  expect(changes.since_sha).toBe(since)
  expect(changes.files.map(({ path }) => path)).toEqual(['b.txt'])
  expect(changes.files[0]?.patch).toContain('-first\n+second\n')
})

test('since must have been a head of it: the ids of other commits are unknown', async () => {
  const { world, ada, otto, draft, pull } = await makePullWorld()
  const number = await draft(otto)
  const other = await draft(ada, { 'c.txt': 'hidden\n' })
  for (const since of [pull(other).head_sha ?? '', pull(number).base_sha, 'f'.repeat(40)]) {
    expect(
      await refusal(world.call(getPullChanges, otto, { repo: REPO, number, since })),
    ).toMatchObject({ status: 422, field: 'since' })
  }
})

test('a head that was pushed away can still be compared with', async () => {
  const { world, otto, draft, pull, push, fork } = await makePullWorld()
  const number = await draft(otto, { 'b.txt': 'first\n' })
  const since = pull(number).head_sha ?? ''
  await push(fork(number), 'main', pull(number).base_sha, otto)
  await world.commit(fork(number), 'main', { 'b.txt': 'again\n' }, { as: otto })
  const changes = await world.call(getPullChanges, otto, { repo: REPO, number, since })
  expect(changes.files[0]?.patch).toContain('-first\n+again\n')
})

test('a file over the limit is given in full only by its path', async () => {
  const { world, otto, draft } = await makePullWorld()
  const long = Array.from({ length: 3_100 }, (_, at) => `row ${at}`).join('\n')
  const number = await draft(otto, { 'long.txt': `${long}\n` })
  const all = await world.call(getPullChanges, otto, { repo: REPO, number })
  expect(all).toMatchObject({
    truncated: true,
    totals: { additions: 3_100 },
    files: [
      {
        path: 'long.txt',
        patch: null,
        hunks: [],
        reason: 'too_large',
        truncated: true,
        additions: 3_100,
      },
    ],
  })
  const one = await world.call(getPullChanges, otto, { repo: REPO, number, path: 'long.txt' })
  expect(one).toMatchObject({ truncated: false, files: [{ reason: null, truncated: false }] })
  expect(one.files[0]?.hunks[0]?.lines).toHaveLength(3_100)
})

test('an answer over its limits leaves out the text of further files', async () => {
  const { world, otto, draft } = await makePullWorld()
  const rows = Array.from({ length: 2_900 }, (_, at) => `row ${at}`).join('\n')
  const number = await draft(
    otto,
    Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}.txt`, `${at}\n${rows}\n`])),
  )
  const changes = await world.call(getPullChanges, otto, { repo: REPO, number })
  expect(changes.truncated).toBe(true)
  expect(changes.files.map(({ reason }) => reason)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
    'page_limit',
    'page_limit',
  ])
  expect(changes.totals.files).toBe(8)
})

test('nothing pushed is nothing changed', async () => {
  const { world, otto, draft } = await makePullWorld()
  const number = await draft(otto, null)
  expect(await world.call(getPullChanges, otto, { repo: REPO, number })).toMatchObject({
    head_sha: null,
    files: [],
    totals: { files: 0 },
  })
})

test('since an earlier head shows nothing of the base that came in meanwhile, also in the same file', async () => {
  const { world, otto, ready, fork, pull, mergeBaseIn } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'mine' }) })
  const since = pull(number).head_sha ?? ''
  await world.commit(REPO, 'main', { 'a.txt': text({ 18: 'theirs' }), 'b.txt': 'theirs\n' })
  await mergeBaseIn(number, otto)
  const changes = () => world.call(getPullChanges, otto, { repo: REPO, number, since })
  expect(await changes()).toMatchObject({ files: [], totals: { files: 0 } })
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': text({ 3: 'mine', 10: 'more', 18: 'theirs' }) },
    { as: otto },
  )
  expect(await changes()).toMatchObject({
    totals: { files: 1, additions: 1, deletions: 1 },
    files: [{ path: 'a.txt', additions: 1, hunks: [{ old_start: 7 }] }],
  })
})

test('lines that differ in white space only can be left out', async () => {
  const { world, otto, ready } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: '  line 3  ', 9: 'nine' }) })
  expect((await world.call(getPullChanges, otto, { repo: REPO, number })).totals).toMatchObject({
    additions: 2,
  })
  expect(
    (await world.call(getPullChanges, otto, { repo: REPO, number, ignore_whitespace: true }))
      .totals,
  ).toMatchObject({ additions: 1 })
})
