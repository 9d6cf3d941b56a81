import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { toggleReaction } from '#features/issues/comments/toggle-reaction.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

test('the same button gives a reaction and takes one’s own back', async () => {
  const { world, ada, otto, issue } = await makeIssueWorld()
  const number = await issue()
  const { id } = await world.call(addComment, ada, { repo: 'acme/site', number, body: 'Hello' })
  const press = (caller: typeof ada) =>
    world.call(toggleReaction, caller, { repo: 'acme/site', id, content: 'heart' })
  const hearts = async () =>
    (await world.call(listComments, ada, { repo: 'acme/site', number })).items[0]?.reactions.heart
  expect([await press(ada), await press(otto), await hearts()]).toEqual([
    { given: true },
    { given: true },
    2,
  ])
  expect([await press(ada), await hearts()]).toEqual([{ given: false }, 1])
  expect(
    await refusal(world.call(toggleReaction, ada, { repo: 'acme/vault', id, content: 'heart' })),
  ).toMatchObject({ status: 404 })
})
