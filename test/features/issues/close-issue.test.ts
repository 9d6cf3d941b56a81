import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { resolveIssue } from '#features/issues/index.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, as, issue, pull, row } = await makeIssueWorld()
const repo = 'acme/site'
const close = (caller: typeof ada, number: number, reason?: 'completed' | 'not_planned') =>
  world.call(closeIssue, caller, { repo, number, reason })
const closings = (number: number) =>
  world.events('issue.closed').filter(({ data }) => data.number === number)

test('it is completed unless said, and says when and by whom', async () => {
  const number = await issue()
  const { open_issues_count } = await world.call(getRepo, ada, { repo })
  world.clock.advance(1000)
  expect(await close(ada, number)).toMatchObject({
    state: 'closed',
    reason: 'completed',
    resolved_by: null,
    closed_at: '2026-03-01T12:00:01.000Z',
    closed_by: { username: 'ada' },
  })
  expect((await world.call(getRepo, ada, { repo })).open_issues_count).toBe(open_issues_count - 1)
  expect(closings(number)).toMatchObject([
    { actor_id: ada.id, data: { number, reason: 'completed', resolved_by: null } },
  ])
})

test('closing again changes the reason only, and nothing when it is the same', async () => {
  const number = await issue()
  const first = await close(ada, number, 'not_planned')
  world.clock.advance(1000)
  expect(await close(as('triage'), number, 'not_planned')).toEqual(first)
  expect(closings(number)).toHaveLength(1)
  expect(await close(as('triage'), number, 'completed')).toMatchObject({
    reason: 'completed',
    closed_at: first.closed_at,
    closed_by: { username: 'ada' },
  })
  expect(closings(number)).toHaveLength(2)
})

test('the author and those with triage may, others may not', async () => {
  const byOtto = await issue({}, otto)
  expect((await close(otto, byOtto)).state).toBe('closed')
  expect((await close(as('triage'), await issue())).state).toBe('closed')
  const number = await issue()
  expect(await refusal(close(otto, number))).toMatchObject({ status: 403, reason: 'role' })
  expect(await refusal(close(as('read'), number))).toMatchObject({ status: 403, reason: 'role' })
  expect(closings(number)).toEqual([])
  expect(await refusal(close(ada, await pull()))).toMatchObject({ status: 404 })
  expect(
    await refusal(world.call(closeIssue, ada, { repo, number, reason: 'bored' as never })),
  ).toMatchObject({ status: 422, field: 'reason' })
})

test('a merge closes it with the number of the pull request, once', async () => {
  const number = await issue()
  const [first, second] = [await pull({ issue: number }), await pull({ issue: number })]
  expect(await world.write((tx) => resolveIssue(tx, row(repo), number, first), ada)).toBe(true)
  expect(await world.write((tx) => resolveIssue(tx, row(repo), number, second), ada)).toBe(false)
  expect((await world.call(getIssue, ada, { repo, number })).issue).toMatchObject({
    state: 'closed',
    reason: 'completed',
    resolved_by: first,
    closed_by: { username: 'ada' },
  })
  expect(closings(number).map(({ data }) => data)).toEqual([
    { number, reason: 'completed', resolved_by: first },
  ])
  expect(await close(ada, number, 'not_planned')).toMatchObject({
    reason: 'not_planned',
    resolved_by: null,
  })
})
