import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listPullCommits } from '#features/pulls/changes/list-pull-commits.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('the commits that the base lacks, newest first, the same after the merge', async () => {
  const { world, ada, otto, ready, fork, draft } = await makePullWorld()
  const number = await ready(otto)
  world.clock.advance(60_000)
  const second = await world.commit(
    fork(number),
    'main',
    { 'c.txt': 'c\n' },
    { as: otto, message: 'Second\n\nWith a body' },
  )
  const list = (input: object = {}) =>
    world.call(listPullCommits, anonymous, { repo: REPO, number, ...input })
  const before = await list()
  expect(before).toMatchObject({
    total: 2,
    next: null,
    items: [
      { sha: second, title: 'Second', author: { name: 'otto', actor: { username: 'otto' } } },
      { title: 'Change files' },
    ],
  })
  expect((await list({ per_page: 1, page: 2 })).items.map(({ title }) => title)).toEqual([
    'Change files',
  ])
  await world.call(mergePull, ada, { repo: REPO, number })
  await world.jobs()
  const after = await list()
  expect(after.items.map(({ sha, pull }) => [sha, pull])).toEqual(
    before.items.map(({ sha }) => [sha, number]),
  )
  const empty = await draft(otto, null)
  expect(await world.call(listPullCommits, anonymous, { repo: REPO, number: empty })).toEqual({
    items: [],
    next: null,
    total: 0,
  })
})
