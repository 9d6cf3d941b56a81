import { expect, test } from 'bun:test'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { refusal, withToken } from '../../../world.ts'
import { archiveOf } from '../archive.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('closes with a comment, keeps the fork, and leaves the issue open', async () => {
  const { world, otto, ready, issue, ref, fork, row } = await makePullWorld()
  const of = await issue()
  const number = await ready(otto, undefined, { issue: of })
  const pull = await world.call(closePull, otto, { repo: REPO, number, comment: 'Not now.' })
  expect(pull).toMatchObject({
    status: 'closed',
    merged_at: null,
    superseded_by: null,
    closed_at: new Date(world.clock.now()).toISOString(),
    comments_count: 1,
  })
  expect((await world.call(listComments, otto, { repo: REPO, number })).items).toMatchObject([
    { body: 'Not now.' },
  ])
  expect(ref('main', fork(number))).not.toBeNull()
  expect(world.events('pull.closed').map(({ data }) => data)).toEqual([
    { number, issue: of, superseded_by: null },
  ])
  expect(await world.call(getIssue, otto, { repo: REPO, number: of })).toMatchObject({
    issue: { state: 'open' },
    pulls: [{ number, status: 'closed' }],
  })
  expect(row().open_pulls_count).toBe(0)
  const again = await refusal(world.call(closePull, otto, { repo: REPO, number, comment: 'Twice' }))
  expect(again).toMatchObject({ status: 409, reason: 'already_closed' })
  expect((await world.call(listComments, otto, { repo: REPO, number })).items).toHaveLength(1)
})

test('is for its author or triage, never in an archive', async () => {
  const { world, ada, mel, otto, draft, pull, row } = await makePullWorld()
  const number = await draft(otto)
  const noel = await world.user('noel')
  expect(
    await refusal(world.call(closePull, noel, { repo: REPO, number, comment: 'Mine' })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await refusal(world.call(closePull, withToken(mel, { role: 'read' }), { repo: REPO, number })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(pull(number).status).toBe('draft')
  expect(world.events('comment.created')).toEqual([])
  expect(
    (await world.call(closePull, withToken(mel, { role: 'triage' }), { repo: REPO, number }))
      .status,
  ).toBe('closed')
  const second = await draft(otto)
  await archiveOf(world, row().id)
  expect(await refusal(world.call(closePull, ada, { repo: REPO, number: second }))).toMatchObject({
    status: 403,
    reason: 'archived',
  })
})
