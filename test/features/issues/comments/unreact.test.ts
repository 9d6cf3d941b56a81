import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { react } from '#features/issues/comments/react.ts'
import { unreact } from '#features/issues/comments/unreact.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'

test('a reaction is removed by its author only, and removing it again changes nothing', async () => {
  const { id } = await world.call(addComment, ada, { repo, number: await issue(), body: 'Well?' })
  const input = { repo, id, content: 'heart' } as const
  await world.call(react, otto, input)
  const events = world.events().length
  expect((await world.call(unreact, ada, input)).reactions.heart).toBe(1)
  expect((await world.call(unreact, otto, input)).reactions.heart).toBe(0)
  expect((await world.call(unreact, otto, input)).reactions.heart).toBe(0)
  expect(world.events().length).toBe(events)
  expect(await refusal(world.call(unreact, otto, { ...input, id: 'cmt_x' }))).toMatchObject({
    status: 404,
  })
})
