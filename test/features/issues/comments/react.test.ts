import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { react } from '#features/issues/comments/react.ts'
import { unreact } from '#features/issues/comments/unreact.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const { id } = await world.call(addComment, ada, { repo, number: await issue(), body: 'Well?' })

test('each person counts once for each reaction, and takes back only their own', async () => {
  const events = world.events().length
  await world.call(react, otto, { repo, id, content: '+1' })
  await world.call(react, otto, { repo, id, content: '+1' })
  await world.call(react, otto, { repo, id, content: 'rocket' })
  expect((await world.call(react, mel, { repo, id, content: '+1' })).reactions).toEqual({
    '+1': 2,
    '-1': 0,
    laugh: 0,
    hooray: 0,
    confused: 0,
    heart: 0,
    rocket: 1,
    eyes: 0,
  })
  expect((await world.call(unreact, ada, { repo, id, content: '+1' })).reactions['+1']).toBe(2)
  expect((await world.call(unreact, otto, { repo, id, content: '+1' })).reactions).toMatchObject({
    '+1': 1,
    rocket: 1,
  })
  expect(world.events().length).toBe(events)
})

test('other words, strangers and unknown comments are refused', async () => {
  expect(
    await refusal(world.call(react, otto, { repo, id, content: 'thumbs' as never })),
  ).toMatchObject({ status: 422, field: 'content' })
  expect(await refusal(world.call(react, anonymous, { repo, id, content: 'heart' }))).toMatchObject(
    { status: 401 },
  )
  expect(
    await refusal(world.call(react, otto, { repo, id: 'cmt_nothing', content: 'heart' })),
  ).toMatchObject({ status: 404 })
  expect(
    await refusal(world.call(unreact, otto, { repo: 'acme/vault', id, content: 'heart' })),
  ).toMatchObject({ status: 404 })
})
