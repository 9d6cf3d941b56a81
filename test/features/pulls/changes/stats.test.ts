import { expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { listTouchedPaths } from '#features/pulls/changes/store-stats.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('after its base moved a pull request is compared anew, but what it changes itself is not looked for again', async () => {
  const { world, hearth, otto, ready, pull } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three' }) })
  const other = await ready(otto, { 'b.txt': 'mine\n' })
  await world.jobs()
  const diffs = () => hearth.metrics.gitDurations.get('diff')?.count ?? 0
  const detail = () => world.call(getPull, otto, { repo: REPO, number })
  const before = {
    detail: await detail(),
    touched: listTouchedPaths(hearth.db, pull(number).id),
    diffs: diffs(),
  }
  await world.commit(REPO, 'main', { 'a.txt': text({ 18: 'eighteen' }), 'b.txt': 'theirs\n' })
  await world.jobs()
  const after = await detail()
  // One for each of the two: what happened on the base meanwhile.
  expect(diffs() - before.diffs).toBe(2)
  expect(after.behind).toMatchObject({
    by: 1,
    conflicts: false,
    touched_paths: ['a.txt'],
    merge_base_sha: before.detail.behind.merge_base_sha,
  })
  expect([after.changed_files, after.additions, after.deletions]).toEqual([
    before.detail.changed_files,
    before.detail.additions,
    before.detail.deletions,
  ])
  expect(listTouchedPaths(hearth.db, pull(number).id)).toEqual(before.touched)
  expect((await world.call(getPull, otto, { repo: REPO, number: other })).behind).toMatchObject({
    by: 1,
    conflicts: true,
    conflict_paths: ['b.txt'],
  })
})

test('once the base was merged in, what it changes is looked for again', async () => {
  const { world, otto, ready, mergeBaseIn } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three' }), 'b.txt': 'mine\n' })
  await world.jobs()
  await world.commit(REPO, 'main', { 'b.txt': 'mine\n' })
  await world.jobs()
  await mergeBaseIn(number, otto)
  await world.jobs()
  const { changed_files, behind } = await world.call(getPull, otto, { repo: REPO, number })
  expect([changed_files, behind.by]).toEqual([1, 0])
})
