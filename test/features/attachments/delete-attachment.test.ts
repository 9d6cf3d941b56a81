import { expect, test } from 'bun:test'
import { deleteAttachment } from '#features/attachments/delete-attachment.ts'
import { refusal } from '../../world.ts'
import { makeAttachmentWorld, REPO } from './fixture.ts'

test('its uploader and maintainers delete it; others are refused, and who cannot see it learns nothing', async () => {
  const { world, ada, otto, rita, eve, upload, seen, issue } = await makeAttachmentWorld()
  const file = await upload(rita)
  expect(
    await refusal(world.call(deleteAttachment, otto, { repo: REPO, id: file.id })),
  ).toMatchObject({ status: 404 })
  await issue(rita, file.markdown)
  for (const other of [otto, eve])
    expect(
      await refusal(world.call(deleteAttachment, other, { repo: REPO, id: file.id })),
    ).toMatchObject({ status: 403, reason: 'role' })
  expect(await seen(file.id, { eve })).toEqual(['eve'])
  await world.call(deleteAttachment, rita, { repo: REPO, id: file.id })
  expect(await seen(file.id, { ada, rita, eve })).toEqual([])

  const other = await upload(rita)
  await issue(rita, other.markdown)
  await world.call(deleteAttachment, ada, { repo: REPO, id: other.id })
  const [entry] = world.hearth.db.all<{ action: string; data: string }>(
    `SELECT action, data FROM audit_log WHERE action = 'attachment.deleted' ORDER BY id DESC`,
  )
  expect(entry?.data).toContain(other.id)
})
