import { expect, test } from 'bun:test'
import { listViewedFiles } from '#features/pulls/changes/list-viewed-files.ts'
import { markFileViewed } from '#features/pulls/changes/mark-file-viewed.ts'
import { anonymous } from '#core/caller.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('the files that a reader has viewed as they are now', async () => {
  const { world, mel, max, otto, ready, fork } = await makePullWorld()
  const number = await ready(otto, { 'a.txt': text({ 3: 'three' }), 'b.txt': null, 'c/d.txt': 'd' })
  const viewed = async (caller: typeof mel | typeof anonymous) =>
    (await world.call(listViewedFiles, caller, { repo: REPO, number })).items
  expect(await viewed(mel)).toEqual([])
  for (const path of ['a.txt', 'b.txt', 'c/d.txt'])
    await world.call(markFileViewed, mel, { repo: REPO, number, path })
  expect([await viewed(mel), await viewed(max), await viewed(anonymous)]).toEqual([
    ['a.txt', 'b.txt', 'c/d.txt'],
    [],
    [],
  ])
  await world.commit(fork(number), 'main', { 'a.txt': text({ 3: 'drei' }) }, { as: otto })
  expect(await viewed(mel)).toEqual(['b.txt', 'c/d.txt'])
})
