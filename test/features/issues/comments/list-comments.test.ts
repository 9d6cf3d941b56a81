import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto, issue, pull } = await makeIssueWorld()
const repo = 'acme/site'
const list = (number: number, input: object = {}) =>
  world.call(listComments, anonymous, { repo, number, ...input })
const bodies = async (number: number, input: object = {}) =>
  (await list(number, input)).items.map(({ body }) => body)

test('they come oldest first, page by page, for issues and pull requests', async () => {
  for (const number of [await issue(), await pull()]) {
    for (const body of ['one', 'two', 'three'])
      await world.call(addComment, otto, { repo, number, body })
    expect(await bodies(number)).toEqual(['one', 'two', 'three'])
    expect(await list(number, { per_page: 2 })).toMatchObject({ total: 3, next: '2' })
    expect(await bodies(number, { per_page: 2, page: 2 })).toEqual(['three'])
  }
})

test('since leaves out what has not changed from then on', async () => {
  const number = await issue()
  const early = await world.call(addComment, ada, { repo, number, body: 'early' })
  await world.call(addComment, ada, { repo, number, body: 'quiet' })
  world.clock.advance(60_000)
  await world.call(addComment, ada, { repo, number, body: 'late' })
  await world.call(updateComment, ada, { repo, id: early.id, body: 'early, changed' })
  expect(await bodies(number, { since: '2026-03-01T13:00:30+01:00' })).toEqual([
    'early, changed',
    'late',
  ])
  expect(await refusal(list(number, { since: 'yesterday' }))).toMatchObject({
    status: 422,
    field: 'since',
  })
})

test('what is not there or not visible gives 404', async () => {
  expect(await refusal(list(9999))).toMatchObject({ status: 404 })
  const hidden = await issue({}, ada, 'acme/vault')
  expect(
    await refusal(world.call(listComments, otto, { repo: 'acme/vault', number: hidden })),
  ).toMatchObject({ status: 404 })
})
