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
