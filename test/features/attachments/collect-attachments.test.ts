import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { blobPath, sweepBlobs } from '#core/blobs.ts'
import { insertJob } from '#core/jobs.ts'
import { collectAttachments } from '#features/attachments/collect-attachments.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { deleteComment } from '#features/issues/comments/delete-comment.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { DAY } from '#lib/time.ts'
import { makeAttachmentWorld, REPO } from './fixture.ts'

test('what no text names goes after a week with its bytes, and what one names stays', async () => {
  const { world, rita, upload, issue } = await makeAttachmentWorld()
  const run = async () => {
    await world.write((tx) => {
      insertJob(tx.db, collectAttachments, null, tx.now_ms)
      insertJob(tx.db, sweepBlobs, null, tx.now_ms)
    })
    await world.jobs()
  }
  const present = () =>
    world.hearth.db
      .all<{ name: string }>('SELECT name FROM attachments ORDER BY name')
      .map(({ name }) => name)
  const bytes = (text: string) => Buffer.from(text)
  const used = await upload(rita, 'used.txt', bytes('used'))
  const { number } = await issue(rita, used.markdown)
  const dropped = await upload(rita, 'dropped.txt', bytes('dropped'))
  const comment = await world.call(addComment, rita, { repo: REPO, number, body: dropped.markdown })
  await upload(rita, 'never.txt', bytes('never'))

  world.clock.advance(6 * DAY)
  await world.call(deleteComment, rita, { repo: REPO, id: comment.id })
  await run()
  expect(present()).toEqual(['dropped.txt', 'never.txt', 'used.txt'])
  world.clock.advance(2 * DAY)
  await run()
  // The deleted comment's file waits from when the job found it without a text.
  expect(present()).toEqual(['dropped.txt', 'used.txt'])
  world.clock.advance(6 * DAY)
  await run()
  expect(present()).toEqual(['used.txt'])
  world.clock.advance(2 * DAY)
  await run()
  expect([used, dropped].map(({ sha256 }) => existsSync(blobPath(world.hearth, sha256)))).toEqual([
    true,
    false,
  ])
})

test('a purged repository leaves none', async () => {
  const { world, ada, rita, upload, issue } = await makeAttachmentWorld()
  await issue(rita, (await upload(rita)).markdown)
  await world.call(deleteRepo, ada, { repo: REPO, confirm: REPO })
  await world.call(purgeRepo, ada, { repo: REPO, confirm: REPO })
  await world.jobs()
  expect(world.hearth.db.all('SELECT id FROM attachments')).toEqual([])
  expect(world.hearth.db.all('SELECT text_id FROM attachment_texts')).toEqual([])
})
