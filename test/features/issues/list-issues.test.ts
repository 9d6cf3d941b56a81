import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { refusal, withToken } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, mel, otto, issue, pull, agent } = await makeIssueWorld()
const repo = 'acme/site'
const milestone = await world.call(createMilestone, ada, { repo, title: 'Spring' })
const leak = await issue({
  title: 'The pipe leaks',
  body: 'Water in the cellar',
  labels: ['bug', 'docs'],
  assignees: ['mel'],
})
const squeak = await issue({ title: 'The door squeaks', labels: ['bug'], milestone: 'Spring' }, mel)
const proposal = await pull({ issue: leak })
const idea = await issue({ title: 'Paint the door of the cellar', labels: ['feature'] }, otto)
const done = await issue({
  title: 'Old door',
  labels: ['bug', 'docs'],
  assignees: ['mel', 'ada'],
  milestone: 'Spring',
})
await world.call(closeIssue, ada, { repo, number: done })

const list = (input: object = {}, caller: typeof ada | typeof anonymous = ada, name = repo) =>
  world.call(listIssues, caller, { repo: name, ...input })
const numbers = async (input: object = {}) => (await list(input)).items.map(({ number }) => number)

describe('the list', () => {
  test('holds open issues, newest first, without pull requests', async () => {
    const answer = await list()
    expect(answer.items.map(({ number }) => number)).toEqual([idea, squeak, leak])
    expect(answer).toMatchObject({ total: 3, next: null })
    expect(answer.items[2]).toMatchObject({
      labels: ['bug', 'docs'],
      assignees: [{ username: 'mel' }],
      pulls: [{ number: proposal, status: 'draft' }],
    })
    expect(await numbers()).not.toContain(proposal)
  })

  test('is of the state asked for, with its total', async () => {
    expect(await numbers({ state: 'closed' })).toEqual([done])
    expect((await list({ state: 'closed' })).total).toBe(1)
    expect(await numbers({ state: 'all' })).toEqual([done, idea, squeak, leak])
    expect((await list({ state: 'all' })).total).toBe(4)
    expect(await refusal(list({ state: 'merged' }))).toMatchObject({ status: 422, field: 'state' })
  })

  test('goes on page by page', async () => {
    const first = await list({ per_page: 2 })
    expect(first).toMatchObject({ total: 3, next: '2' })
    const second = await list({ per_page: 2, cursor: first.next })
    expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([
      idea,
      squeak,
      leak,
    ])
    expect(second.next).toBeNull()
    expect(await list({ page: 9 })).toMatchObject({ items: [], total: 3, next: null })
    expect(await refusal(list({ per_page: 0 }))).toMatchObject({ status: 422, field: 'per_page' })
  })
})

describe('filters', () => {
  test('of labels must all match, in any case and either form', async () => {
    expect(await numbers({ label: 'BUG' })).toEqual([squeak, leak])
    expect(await numbers({ label: ['bug', 'docs'] })).toEqual([leak])
    expect(await numbers({ label: 'bug,docs', state: 'all' })).toEqual([done, leak])
    expect((await list({ label: 'bug' })).total).toBe(2)
    expect((await list({ label: ['bug', 'docs'], state: 'all' })).total).toBe(2)
    expect(await list({ label: 'no such' })).toMatchObject({ items: [], total: 0 })
    expect(await list({ label: ['bug', 'no such'] })).toMatchObject({ items: [], total: 0 })
  })

  test('of people and milestones narrow each other', async () => {
    expect(await numbers({ assignee: 'mel' })).toEqual([leak])
    expect(await numbers({ assignee: 'mel', state: 'all' })).toEqual([done, leak])
    expect(await numbers({ author: 'mel' })).toEqual([squeak])
    expect(await numbers({ milestone: 'spring', state: 'all' })).toEqual([done, squeak])
    expect(await numbers({ milestone: milestone.id })).toEqual([squeak])
    expect(
      await numbers({
        label: 'bug',
        assignee: 'mel',
        author: 'ada',
        milestone: 'Spring',
        state: 'closed',
      }),
    ).toEqual([done])
    expect(
      (
        await list({
          label: 'bug',
          assignee: 'mel',
          author: 'ada',
          milestone: 'Spring',
          state: 'closed',
        })
      ).total,
    ).toBe(1)
    expect(await numbers({ label: 'bug', author: 'otto' })).toEqual([])
    for (const input of [{ assignee: 'nobody' }, { author: 'nobody' }, { milestone: 'nothing' }])
      expect(await list(input)).toMatchObject({ items: [], total: 0 })
  })

  test('of what is missing leave out what has it', async () => {
    expect(await numbers({ without: ['milestone'] })).toEqual([idea, leak])
    expect(await numbers({ without: ['assignee'] })).toEqual([idea, squeak])
    expect(await numbers({ without: ['label'] })).toEqual([])
    expect(await numbers({ without: ['milestone', 'assignee'], label: 'feature' })).toEqual([idea])
    expect((await list({ without: ['milestone'] })).total).toBe(2)
    expect(await refusal(list({ without: ['title'] }))).toMatchObject({
      status: 422,
      field: 'without[0]',
    })
  })

  test('of an agent find what it opened', async () => {
    const bot = await agent(mel)
    const number = await issue({ title: 'Found by a bot' }, bot)
    expect(await numbers({ author: 'mel/bot' })).toEqual([number])
    await world.call(closeIssue, ada, { repo, number })
  })

  test('of words look in title and body, for the beginnings of words', async () => {
    expect(await numbers({ q: 'door' })).toEqual([idea, squeak])
    expect(await numbers({ q: 'CELL' })).toEqual([idea, leak])
    expect(await numbers({ q: 'cellar water' })).toEqual([leak])
    expect(await numbers({ q: 'door', state: 'all', label: 'bug' })).toEqual([done, squeak])
    expect(await numbers({ q: 'door', author: 'mel' })).toEqual([squeak])
    expect(await numbers({ q: 'nowhere' })).toEqual([])
    expect((await list({ q: 'door' })).total).toBe(2)
    expect(await numbers({ q: 'repair' })).toEqual([])
  })

  test('of words take signs of a query language as nothing special', async () => {
    for (const q of ['"', 'door"', '* OR *', 'repo:x', '{title}', 'NEAR(a b)', '-door', '(', '???'])
      expect((await list({ q })).items.length).toBeLessThan(4)
    expect(await numbers({ q: '"door" *' })).toEqual([idea, squeak])
    expect(await numbers({ q: '' })).toEqual([idea, squeak, leak])
  })

  test('of words follow a changed title', async () => {
    await world.call(updateIssue, ada, { repo, number: squeak, title: 'The gate squeaks' })
    expect(await numbers({ q: 'door' })).toEqual([idea])
    expect(await numbers({ q: 'gate' })).toEqual([squeak])
  })
})

test('orders put the last changed or most discussed first', async () => {
  world.clock.advance(1000)
  await world.call(addComment, ada, { repo, number: leak, body: 'One' })
  await world.call(addComment, ada, { repo, number: leak, body: 'Two' })
  world.clock.advance(1000)
  await world.call(addComment, ada, { repo, number: squeak, body: 'Three' })
  expect(await numbers({ sort: 'updated' })).toEqual([squeak, leak, idea])
  expect(await numbers({ sort: 'comments' })).toEqual([leak, squeak, idea])
  expect(await numbers({ sort: 'comments', label: 'bug' })).toEqual([leak, squeak])
  expect(await numbers({ sort: 'updated', assignee: 'mel', state: 'all' })).toEqual([leak, done])
  expect(await numbers({ sort: 'updated', q: 'squeaks leaks' })).toEqual([])
  expect(await numbers({ sort: 'updated', q: 'the' })).toEqual([squeak, leak, idea])
})

test('only those who see the repository see its issues', async () => {
  await issue({ title: 'Secret door' }, ada, 'acme/vault')
  expect((await list({}, anonymous)).items).toHaveLength(3)
  expect(await refusal(list({}, anonymous, 'acme/vault'))).toMatchObject({ status: 404 })
  expect(await refusal(list({}, otto, 'acme/vault'))).toMatchObject({ status: 404 })
  expect(await refusal(list({}, withToken(ada, { scopes: ['code:read'] })))).toMatchObject({
    status: 403,
    reason: 'scope',
  })
  expect((await list({ q: 'secret' }, anonymous)).items).toEqual([])
})
