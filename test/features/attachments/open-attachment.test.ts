/** Who sees an attachment: exactly those who may read a text that names it. */
import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { deleteComment } from '#features/issues/comments/delete-comment.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { openAttachment } from '#features/attachments/open-attachment.ts'
import { createRelease } from '#features/releases/create-release.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { agentOf, refusal } from '../../world.ts'
import { reviewing } from '../pulls/reviewing.ts'
import { finishReview } from '#features/pulls/reviews/finish-review.ts'
import { uploadAttachment } from '#features/attachments/upload-attachment.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createAgent } from '#features/agents/create-agent.ts'
import { makeAttachmentWorld, PNG, REPO } from './fixture.ts'

test('an upload is its uploader’s until a text names it, and hidden again with the text', async () => {
  const { world, ada, otto, rita, eve, upload, seen, issue } = await makeAttachmentWorld()
  const all = { ada, otto, rita, eve, anonymous }
  const file = await upload(rita)
  expect(await seen(file.id, all)).toEqual(['rita'])

  const { number } = await issue(ada, '')
  const comment = await world.call(addComment, rita, { repo: REPO, number, body: file.markdown })
  expect(await seen(file.id, all)).toEqual(Object.keys(all))

  await world.call(updateComment, rita, { repo: REPO, id: comment.id, body: 'Nothing to see' })
  expect(await seen(file.id, all)).toEqual(['rita'])
  await world.call(updateComment, rita, { repo: REPO, id: comment.id, body: file.markdown })
  expect(await seen(file.id, all)).toEqual(Object.keys(all))

  await world.call(deleteComment, rita, { repo: REPO, id: comment.id })
  expect(await seen(file.id, all)).toEqual(['rita'])
})

test('a link to the file of a deleted comment does not show it to anyone again', async () => {
  const { world, ada, otto, rita, eve, upload, seen, issue } = await makeAttachmentWorld()
  const file = await upload(rita)
  const { number } = await issue(rita, 'See below')
  const comment = await world.call(addComment, rita, { repo: REPO, number, body: file.markdown })
  await world.call(deleteComment, rita, { repo: REPO, id: comment.id })
  await world.call(addComment, eve, { repo: REPO, number, body: `Look: ${file.markdown}` })
  await issue(ada, file.markdown)
  expect(await seen(file.id, { ada, otto, rita, eve, anonymous })).toEqual(['rita'])
  // The uploader may show it again.
  await issue(rita, file.markdown)
  expect(await seen(file.id, { ada, anonymous })).toEqual(['ada', 'anonymous'])
})

test('a text of another repository shows nothing, and another repository has no such file', async () => {
  const { world, ada, rita, eve, upload, seen } = await makeAttachmentWorld({ private: true })
  await world.repo('acme/other')
  const file = await upload(rita)
  await world.call(createIssue, rita, {
    repo: 'acme/other',
    title: 'Elsewhere',
    body: file.markdown,
  })
  expect(await seen(file.id, { ada, rita })).toEqual(['rita'])
  expect(
    await refusal(world.call(openAttachment, rita, { repo: 'acme/other', id: file.id })),
  ).toMatchObject({ status: 404 })
  await world.call(createIssue, rita, { repo: REPO, title: 'Here', body: file.markdown })
  // The repository is private.
  expect(await seen(file.id, { ada, rita, eve, anonymous })).toEqual(['ada', 'rita'])
})

test('a maintainer’s picture in somebody else’s issue shows, and so does one in an agent’s', async () => {
  const { world, repo, otto, rita, upload, seen, issue, ada } = await makeAttachmentWorld()
  const { number } = await issue(rita, 'Words')
  const added = await upload(otto)
  await world.call(updateIssue, ada, { repo: REPO, number, title: 'By ada' })
  const theirs = await upload(ada)
  await world.call(updateIssue, ada, { repo: REPO, number, body: `Words ${theirs.markdown}` })
  expect(await seen(theirs.id, { anonymous })).toEqual(['anonymous'])
  expect(await seen(added.id, { anonymous, ada })).toEqual([])

  const { id } = await world.call(createAgent, ada, { repo: REPO, name: 'bot' })
  const agent = agentOf(ada, repo, { id })
  const drawn = await upload(agent)
  // The person who started the agent sees what it uploaded.
  expect(await seen(drawn.id, { otto, ada, agent })).toEqual(['ada', 'agent'])
})

test('notes of a draft release are for those with Write, until it is published', async () => {
  const { world, ada, otto, rita, upload, seen } = await makeAttachmentWorld()
  const file = await upload(otto)
  const release = await world.call(createRelease, otto, {
    repo: REPO,
    tag_name: 'v1',
    body: file.markdown,
    draft: true,
  })
  expect(await seen(file.id, { ada, otto, rita, anonymous })).toEqual(['ada', 'otto'])
  await world.call(updateRelease, otto, { repo: REPO, id: release.id, draft: false })
  expect(await seen(file.id, { ada, otto, rita, anonymous })).toHaveLength(4)
})

test('a pending comment is for its author, until the review is sent; descriptions of pull requests show too', async () => {
  const { world, mel, otto, number, keep } = await reviewing()
  const upload = (by: typeof mel) =>
    world.call(uploadAttachment, by, {
      repo: REPO,
      name: 'a.png',
      data: PNG.toString('base64'),
    })
  const sees = (by: typeof mel, id: string) =>
    world.call(openAttachment, by, { repo: REPO, id }).then(
      () => true,
      () => false,
    )
  const file = await upload(mel)
  await keep(mel, 3, `Look ${file.markdown}`)
  expect([await sees(mel, file.id), await sees(otto, file.id)]).toEqual([true, false])
  await world.call(finishReview, mel, { repo: REPO, number, verdict: 'comment', body: 'So' })
  expect(await sees(otto, file.id)).toBe(true)

  const other = await upload(otto)
  await world.call(createPull, otto, { repo: REPO, title: 'With a picture', body: other.markdown })
  expect(await sees(mel, other.id)).toBe(true)
})
