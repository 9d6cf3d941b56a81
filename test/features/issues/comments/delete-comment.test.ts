import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { deleteComment } from '#features/issues/comments/delete-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { react } from '#features/issues/comments/react.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, as, issue, pull, count } = await makeIssueWorld()
const repo = 'acme/site'
const comment = (caller: typeof ada, number: number, input: object = {}) =>
  world.call(addComment, caller, { repo, number, body: 'Said in anger', ...input })
const remove = (caller: typeof ada, id: string) => world.call(deleteComment, caller, { repo, id })

test('text and reactions go, the count goes down, the event stays without the text', async () => {
  const number = await issue()
  const made = await comment(otto, number)
  await world.call(react, ada, { repo, id: made.id, content: '-1' })
  expect(await remove(otto, made.id)).toBeNull()
  expect(await world.call(listComments, ada, { repo, number })).toMatchObject({
    items: [],
    total: 0,
  })
  expect(count('reactions')).toBe(0)
  const event = world.events('comment.created').find(({ data }) => data.comment === made.id)
  expect(event).toBeDefined()
  expect(JSON.stringify(world.events())).not.toContain('anger')
  expect(await refusal(remove(otto, made.id))).toMatchObject({ status: 404 })
})

test('only the author and those with maintain may', async () => {
  const made = await comment(otto, await issue())
  for (const caller of [mel, as('write'), as('triage')])
    expect(await refusal(remove(caller, made.id))).toMatchObject({ status: 403, reason: 'role' })
  expect(await remove(as('maintain'), made.id)).toBeNull()
})

test('a thread goes on without its first comment, settled or not as before', async () => {
  const number = await pull()
  const first = await comment(mel, number)
  const second = await comment(otto, number, { in_reply_to: first.id })
  await comment(mel, number, { in_reply_to: first.id })
  await world.call(resolveComment, otto, { repo, id: first.id })
  await remove(mel, first.id)
  const left = (await world.call(listComments, ada, { repo, number })).items
  expect(
    left.map(({ in_reply_to, resolved, resolved_by }) => [
      in_reply_to,
      resolved,
      resolved_by?.username,
    ]),
  ).toEqual([
    [null, true, 'otto'],
    [second.id, true, 'otto'],
  ])
})
