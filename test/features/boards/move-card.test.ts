import { expect, test } from 'bun:test'
import { listIssueEvents } from '#features/issues/index.ts'
import { refusal } from '../../world.ts'
import { seeded } from './fixture.ts'

test('a move sets the label of the column in place of other columns and keeps all other labels', async () => {
  const { open, move, issue, setColumns, titles } = await seeded()
  const number = await open('acme/secret', 'Squeaks', ['bug'])
  await setColumns([
    { name: 'Backlog', kind: 'open' },
    { name: 'Doing', kind: 'label', label: 'doing' },
    { name: 'Review', kind: 'label', label: 'review' },
    { name: 'Done', kind: 'closed' },
  ])
  expect((await move('acme/secret', number, 'doing')).labels).toEqual(['bug', 'doing'])
  expect((await move('acme/secret', number, 'Review')).labels).toEqual(['bug', 'review'])
  expect(await titles()).toEqual({ Backlog: [], Doing: [], Review: ['Squeaks'], Done: [] })
  const closed = await move('acme/secret', number, 'Done')
  expect([closed.state, closed.reason, closed.labels]).toEqual(['closed', 'completed', ['bug']])
  expect((await move('acme/secret', number, 'Backlog')).state).toBe('open')
  expect((await issue('acme/secret', number)).labels).toEqual(['bug'])
})

test('the events of the issue tell the move once', async () => {
  const { world, ada, open, move } = await seeded()
  const number = await open('acme/site', 'Squeaks')
  await move('acme/site', number, 'In progress')
  await move('acme/site', number, 'In progress')
  await move('acme/site', number, 'Done')
  const { items } = await world.call(listIssueEvents, ada, { repo: 'acme/site', number })
  expect(items.map(({ type }) => type).sort()).toEqual([
    'issue.closed',
    'issue.opened',
    'issue.updated',
    'issue.updated',
  ])
})

test('it needs triage, a repository of the project and a column of the board', async () => {
  const { world, ada, bob, out, open, move } = await seeded()
  const number = await open('acme/site', 'Squeaks')
  expect((await refusal(move('acme/site', number, 'Done', bob))).status).toBe(403)
  expect((await refusal(move('acme/site', number, 'Done', out))).status).toBe(403)
  expect((await refusal(move('acme/secret', number, 'Done', bob))).status).toBe(404)
  expect((await refusal(move('acme/site', number, 'Nowhere'))).field).toBe('column')
  expect((await refusal(move('acme/site', 99, 'Done'))).status).toBe(404)
  await world.repo('acme/other', { as: ada })
  const other = await open('acme/other', 'Elsewhere')
  expect((await refusal(move('acme/other', other, 'Done'))).field).toBe('repo')
  expect((await refusal(move('acme/site', number, 'Unknown'))).message).toContain('To do')
})

test('cards keep the order that was made by hand, and others stand below it', async () => {
  const { world, ada, bob, board, open, move, setColumns } = await seeded()
  const [one, two, three] = [
    await open('acme/site', 'one'),
    await open('acme/secret', 'two'),
    await open('acme/site', 'three'),
  ]
  const order = async (as = ada) =>
    (await board(as)).columns[0]?.cards.map(({ title }) => title) ?? []
  const place = (number: number, repo: string, where: object) =>
    move(repo, number, 'To do', ada, where)
  await place(one, 'acme/site', { before: `acme/secret#${two}` })
  await place(three, 'acme/site', { after: `acme/secret#${two}` })
  expect(await order()).toEqual(['one', 'two', 'three'])
  await place(three, 'acme/site', { before: `acme/site#${one}` })
  expect(await order()).toEqual(['three', 'one', 'two'])
  // A new issue comes below; a card that was away and comes back has its place again.
  await open('acme/site', 'four')
  expect(await order()).toEqual(['three', 'one', 'two', 'four'])
  await move('acme/site', one, 'Done')
  expect(await order()).toEqual(['three', 'two', 'four'])
  await move('acme/site', one, 'To do')
  expect(await order()).toEqual(['three', 'one', 'two', 'four'])
  // Another name of the column keeps the order.
  await setColumns([
    { name: 'Inbox', kind: 'open' },
    { name: 'Done', kind: 'closed' },
  ])
  expect(await order()).toEqual(['three', 'one', 'two', 'four'])
  // Somebody who sees fewer cards sees them in the same order.
  expect(await order(bob)).toEqual(['three', 'one', 'four'])
  expect(world.events('issue.updated').length).toBe(0)
})

test('a card goes beside a card of its column only', async () => {
  const { ada, bob, open, move } = await seeded()
  const one = await open('acme/site', 'one')
  const two = await open('acme/site', 'two')
  const hidden = await open('acme/secret', 'hidden')
  await move('acme/site', two, 'Done')
  const place = (where: object, as = ada) => refusal(move('acme/site', one, 'To do', as, where))
  expect((await place({ before: `acme/site#${two}` })).field).toBe('before')
  expect((await place({ after: 'acme/none#1' })).field).toBe('after')
  expect((await place({ after: 'nonsense' })).field).toBe('after')
  expect((await place({ before: 'a#1', after: 'b#2' })).field).toBe('after')
  expect((await place({ after: `acme/secret#${hidden}` }, bob)).status).toBe(403)
})
