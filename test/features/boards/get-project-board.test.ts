import { expect, test } from 'bun:test'
import { closeIssue, updateIssue } from '#features/issues/index.ts'
import { moveCard } from '#features/boards/index.ts'
import { refusal } from '../../world.ts'
import { seeded } from './fixture.ts'

test('issues are in columns by label and state, across repositories', async () => {
  const { world, ada, open, titles } = await seeded()
  await open('acme/site', 'Waits')
  await open('acme/secret', 'Begun', ['In Progress', 'bug'])
  const done = await open('acme/secret', 'Over', ['in progress'])
  await world.call(closeIssue, ada, { repo: 'acme/secret', number: done })
  expect(await titles()).toEqual({ 'To do': ['Waits'], 'In progress': ['Begun'], Done: ['Over'] })
})

test('cards of repositories that the reader cannot see are not there', async () => {
  const { bob, out, open, board, titles } = await seeded()
  await open('acme/site', 'In public')
  await open('acme/secret', 'Hidden')
  expect(JSON.stringify(await board(bob))).not.toContain('Hidden')
  expect(await titles(bob)).toMatchObject({ 'To do': ['In public'] })
  expect((await board(bob)).columns[0]?.cards[0]?.can_move).toBe(false)
  expect((await board()).columns[0]?.cards.map((card) => card.can_move)).toEqual([true, true])
  expect((await refusal(board(out))).status).toBe(404)
})

test('a column shows the last changed cards up to the limit, and whether there are more', async () => {
  const { world, ada, open, board } = await seeded()
  const first = await open('acme/site', 'First')
  await open('acme/site', 'Second')
  await open('acme/secret', 'Third')
  world.clock.advance(1000)
  await world.call(updateIssue, ada, { repo: 'acme/site', number: first, body: 'Changed' })
  const [column] = (await board(ada, { limit: 2 })).columns
  expect([column?.cards[0]?.title, column?.cards.length, column?.more]).toEqual(['First', 2, true])
  expect((await board(ada, { limit: 3 })).columns[0]?.more).toBe(false)
})

test('only the issues of one assignee are shown when the reader says so', async () => {
  const { world, ada, open, titles } = await seeded()
  const mine = await open('acme/site', 'Mine')
  await open('acme/site', 'Of nobody')
  await world.call(updateIssue, ada, { repo: 'acme/site', number: mine, assignees: ['ada'] })
  expect(await titles(ada, { assignee: 'ada' })).toMatchObject({ 'To do': ['Mine'] })
  expect(await titles(ada, { assignee: 'unknown' })).toMatchObject({ 'To do': [] })
})

test('one column is read page by page, with its ordered cards first, and is counted', async () => {
  const { world, ada, open, board } = await seeded()
  const numbers: number[] = []
  for (let at = 0; at < 7; at++) numbers.push(await open('acme/site', `Card ${at}`))
  await open('acme/secret', 'Card 7')
  await world.call(moveCard, ada, {
    repo: 'acme/site',
    number: numbers[0] ?? 0,
    project: 'oven',
    column: 'To do',
    before: `acme/site#${numbers[3]}`,
  })
  const [whole] = (await board(ada)).columns
  const all = whole?.cards.map(({ title }) => title) ?? []
  expect([all.length, new Set(all).size, whole?.cards_count]).toEqual([8, 8, 8])
  const paged: string[] = []
  for (let page = 1; page <= 4; page++) {
    const { columns } = await board(ada, { column: 'to do', page, limit: 3 })
    expect(columns.map(({ name, more, cards_count }) => [name, more, cards_count])).toEqual([
      ['To do', page < 3, 8],
    ])
    paged.push(...(columns[0]?.cards.map(({ title }) => title) ?? []))
  }
  expect(paged).toEqual(all)
  expect(await refusal(board(ada, { column: 'Nowhere' }))).toMatchObject({ field: 'column' })
})
