import { expect, test } from 'bun:test'
import { getPullChanges } from '#features/pulls/changes/get-pull-changes.ts'
import { markFileViewed } from '#features/pulls/changes/mark-file-viewed.ts'
import { anonymous } from '#core/caller.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('marks on other pages of the changes are counted', async () => {
  const { world, mel, max, otto, ready } = await makePullWorld()
  const names = Array.from({ length: 5 }, (_, at) => `new-${at}.txt`)
  const number = await ready(otto, Object.fromEntries(names.map((name) => [name, name])))
  for (const path of ['new-0.txt', 'new-4.txt'])
    await world.call(markFileViewed, mel, { repo: REPO, number, path })
  const count = async (caller: typeof mel | typeof anonymous, input: object) =>
    (await world.call(getPullChanges, caller, { repo: REPO, number, ...input })).viewed_files
  expect(await count(mel, { per_page: 2 })).toBe(2)
  expect(await count(mel, { per_page: 2, page: 3 })).toBe(2)
  expect(await count(mel, {})).toBe(2)
  expect(await count(mel, { path: 'new-4.txt' })).toBe(1)
  expect([await count(max, { per_page: 2 }), await count(anonymous, {})]).toEqual([0, 0])
})

test('a mark is one reader’s own and holds for the version that was seen', async () => {
  const { world, mel, max, otto, ready, fork } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three' }), 'b.txt': null })
  const seen = async (caller: typeof mel | typeof anonymous) =>
    (await world.call(getPullChanges, caller, { repo: REPO, number })).files.flatMap(
      ({ path, viewed }) => (viewed ? [path] : []),
    )
  expect(await seen(mel)).toEqual([])
  await world.call(markFileViewed, mel, { repo: REPO, number, path: 'a.txt' })
  await world.call(markFileViewed, mel, { repo: REPO, number, path: 'b.txt' })
  expect([await seen(mel), await seen(max), await seen(anonymous)]).toEqual([
    ['a.txt', 'b.txt'],
    [],
    [],
  ])
  await world.commit(fork(number), 'main', { 'a.txt': text({ 3: 'drei' }) }, { as: otto })
  expect(await seen(mel)).toEqual(['b.txt'])
  await world.call(markFileViewed, mel, { repo: REPO, number, path: 'b.txt', viewed: false })
  expect(await seen(mel)).toEqual([])
  expect(
    await refusal(world.call(markFileViewed, mel, { repo: REPO, number, path: 'nothing' })),
  ).toMatchObject({ status: 422, field: 'path' })
})
