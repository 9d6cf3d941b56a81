import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { listAttachments } from '#features/attachments/list-attachments.ts'
import { makeAttachmentWorld, REPO } from './fixture.ts'

test('lists what the caller sees, newest first, page by page', async () => {
  const { world, rita, otto, upload, issue } = await makeAttachmentWorld()
  const shown = [await upload(rita, '1.png'), await upload(otto, '2.png')]
  for (const [at, by] of [rita, otto].entries()) await issue(by, shown[at]?.markdown ?? '')
  await upload(rita, 'own.png')
  const names = async (caller: Caller) =>
    (await world.call(listAttachments, caller, { repo: REPO })).items.map(({ name }) => name)
  expect(await names(rita)).toEqual(['own.png', '2.png', '1.png'])
  expect(await names(otto)).toEqual(['2.png', '1.png'])
  expect(await names(anonymous)).toEqual(['2.png', '1.png'])
  const first = await world.call(listAttachments, anonymous, { repo: REPO, per_page: 1 })
  const second = await world.call(listAttachments, anonymous, {
    repo: REPO,
    per_page: 1,
    before: first.next ?? '',
  })
  expect([first.items[0]?.name, second.items[0]?.name, second.next]).toEqual([
    '2.png',
    '1.png',
    null,
  ])
})
