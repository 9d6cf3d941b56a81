import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { readConversation } from '#features/issues/read-conversation.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, issue } = await makeIssueWorld()
const repo = 'acme/site'
const read = async (number: number, input: { from?: string; before?: string; limit: number }) => {
  const { comments, events, starts } = await world.call(readConversation, anonymous, {
    repo,
    number,
    types: ['issue.closed', 'issue.reopened'],
    ...input,
  })
  return { comments: comments.map(({ body }) => body), events: events.map((e) => e.type), starts }
}

test('the newest comments and events before a place, and the oldest from one on', async () => {
  const number = await issue()
  const places: string[] = []
  const say = async (body: string): Promise<void> => {
    const { id } = await world.call(addComment, otto, { repo, number, body })
    places.push(id.replace('cmt_', ''))
  }
  await say('one')
  await world.call(closeIssue, ada, { repo, number })
  await say('two')
  await say('three')
  await world.call(reopenIssue, ada, { repo, number })
  await say('four')
  const [, two = '', three = ''] = places
  const all = {
    comments: ['one', 'two', 'three', 'four'],
    events: ['issue.closed', 'issue.reopened'],
  }

  expect(await read(number, { limit: 10 })).toEqual({ ...all, starts: false })
  expect(await read(number, { limit: 10, from: '0'.repeat(26) })).toEqual({ ...all, starts: true })
  // Events older than the oldest of the comments that were cut are in an earlier part.
  expect(await read(number, { limit: 3 })).toEqual({
    comments: ['two', 'three', 'four'],
    events: ['issue.reopened'],
    starts: false,
  })
  expect(await read(number, { limit: 10, before: three })).toEqual({
    comments: ['one', 'two'],
    events: ['issue.closed'],
    starts: false,
  })
  expect(await read(number, { limit: 2, from: two })).toEqual({
    comments: ['two', 'three'],
    events: [],
    starts: false,
  })
  expect(await read(number, { limit: 10, from: three })).toEqual({
    comments: ['three', 'four'],
    events: ['issue.reopened'],
    starts: false,
  })
})

test('a place is the end of an id, and what is not visible gives 404', async () => {
  const number = await issue({}, ada, 'acme/vault')
  expect(await refusal(read(number, { limit: 10, from: 'yesterday' }))).toMatchObject({
    status: 422,
    field: 'from',
  })
  expect(
    await refusal(
      world.call(readConversation, otto, { repo: 'acme/vault', number, types: [], limit: 1 }),
    ),
  ).toMatchObject({ status: 404 })
})
