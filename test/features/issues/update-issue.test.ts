import { describe, expect, test } from 'bun:test'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, mel, otto, as, issue, pull, agent } = await makeIssueWorld()
const repo = 'acme/site'
const update = (caller: Parameters<typeof issue>[1], number: number, input: object) =>
  world.call(updateIssue, caller ?? ada, { repo, number, ...input })
const eventsOf = (number: number) =>
  world
    .events()
    .filter((event) => event.data.number === number)
    .map(({ type, data }) => [type, data.changed ?? data.assignees ?? null])

describe('title and body', () => {
  test('are changed by the author, also without a role', async () => {
    const number = await issue({ body: 'Old' }, otto)
    world.clock.advance(5000)
    const changed = await update(otto, number, { title: 'New', body: '' })
    expect(changed).toMatchObject({
      title: 'New',
      body: '',
      updated_at: '2026-03-01T12:00:05.000Z',
    })
    expect(eventsOf(number)).toEqual([
      ['issue.opened', null],
      ['issue.updated', ['title', 'body']],
    ])
  })

  test('are changed by an agent of the author and by the person of an agent that is the author, but by no other agent', async () => {
    const bot = await agent(mel)
    const other = await agent(ada, 'adabot')
    expect((await update(bot, await issue({}, mel), { title: 'By my bot' })).title).toBe(
      'By my bot',
    )
    const byBot = await issue({}, bot)
    expect((await update(mel, byBot, { title: 'By my person' })).title).toBe('By my person')
    expect(await refusal(update(other, byBot, { title: 'By another' }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
  })

  test('are not changed by others below maintain', async () => {
    const number = await issue({}, otto)
    expect(await refusal(update(as('write'), number, { title: 'Mine now' }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect((await update(as('maintain'), number, { title: 'Clearer' })).title).toBe('Clearer')
  })
})

describe('everything else', () => {
  test('needs triage, also for the author', async () => {
    const number = await issue({}, otto)
    for (const input of [
      { labels: [] },
      { assignees: [] },
      { checks: [] },
      { milestone: null },
      { blocked_by: [] },
    ]) {
      expect(await refusal(update(otto, number, input))).toMatchObject({
        status: 403,
        reason: 'role',
      })
    }
    expect(await refusal(update(otto, number, { title: 'Half', labels: [] }))).toMatchObject({
      status: 403,
    })
    expect((await world.call(getIssue, ada, { repo, number })).issue.title).toBe('It is broken')
    expect(
      (await update(as('triage'), number, { labels: ['bug', 'made by triage'] })).labels,
    ).toEqual(['bug', 'made by triage'])
  })

  test('replaces the whole set', async () => {
    const blocker = await issue()
    const number = await issue({
      labels: ['bug', 'docs'],
      assignees: ['mel'],
      checks: ['a', 'b'],
      blocked_by: [blocker],
    })
    const changed = await update(ada, number, {
      labels: ['docs', 'feature'],
      assignees: ['ada'],
      checks: ['b'],
      blocked_by: [],
    })
    expect(changed).toMatchObject({ labels: ['docs', 'feature'], checks: ['b'], blocked_by: [] })
    expect(changed.assignees.map(({ username }) => username)).toEqual(['ada'])
    expect(await update(ada, number, { labels: [], assignees: [] })).toMatchObject({
      labels: [],
      assignees: [],
      checks: ['b'],
    })
    expect(eventsOf(number).slice(2)).toEqual([
      ['issue.updated', ['checks', 'labels', 'blocked_by']],
      ['issue.assigned', ['ada']],
      ['issue.updated', ['labels']],
      ['issue.assigned', []],
    ])
  })

  test('keeps those assigned who could not be assigned anew', async () => {
    const number = await issue({ assignees: ['otto'] }, otto)
    await update(ada, number, { assignees: ['otto', 'mel'] })
    expect(await refusal(update(ada, await issue(), { assignees: ['otto'] }))).toMatchObject({
      status: 422,
      field: 'assignees',
    })
  })

  test('puts it under a milestone by id or title and takes it away', async () => {
    const milestone = await world.call(createMilestone, ada, { repo, title: 'Summer' })
    const number = await issue()
    expect((await update(ada, number, { milestone: milestone.id })).milestone?.title).toBe('Summer')
    expect((await update(ada, number, { milestone: null })).milestone).toBeNull()
    expect((await update(ada, number, { milestone: 'summer' })).milestone?.id).toBe(milestone.id)
    expect((await update(ada, number, { milestone: '' })).milestone).toBeNull()
    expect(await refusal(update(ada, number, { milestone: 'Winter' }))).toMatchObject({
      status: 422,
      field: 'milestone',
    })
  })

  test('refuses to wait in a circle', async () => {
    const [a, b, c] = [await issue(), await issue(), await issue()] as const
    await update(ada, b, { blocked_by: [a] })
    await update(ada, c, { blocked_by: [b] })
    for (const [number, blocker] of [
      [a, c],
      [a, b],
      [a, a],
    ] as const) {
      expect(await refusal(update(ada, number, { blocked_by: [blocker] }))).toMatchObject({
        status: 422,
        field: 'blocked_by',
      })
    }
    expect((await update(ada, c, { blocked_by: [a, b] })).blocked_by).toEqual([a, b])
  })
})

test('what is the same already changes nothing and appends nothing', async () => {
  const number = await issue({
    title: 'Same',
    labels: ['bug'],
    assignees: ['mel', 'ada'],
    checks: ['x'],
  })
  const before = eventsOf(number)
  world.clock.advance(60_000)
  const answer = await update(ada, number, {
    title: ' Same ',
    body: '',
    labels: ['BUG'],
    assignees: ['mel', 'ada'],
    checks: ['x'],
    milestone: null,
    blocked_by: [],
  })
  expect(answer.updated_at).toBe(answer.created_at)
  await update(ada, number, {})
  expect(eventsOf(number)).toEqual(before)
})

test('a refused part undoes the whole', async () => {
  const number = await issue()
  const before = world.events().length
  expect(
    await refusal(
      update(ada, number, { title: 'Changed', labels: ['fresh one'], assignees: ['nobody'] }),
    ),
  ).toMatchObject({ status: 422, field: 'assignees' })
  expect((await world.call(getIssue, ada, { repo, number })).issue).toMatchObject({
    title: 'It is broken',
    labels: [],
  })
  expect(world.events().length).toBe(before)
})

test('a pull request is not an issue', async () => {
  expect(await refusal(update(ada, await pull(), { title: 'x' }))).toMatchObject({ status: 404 })
})
