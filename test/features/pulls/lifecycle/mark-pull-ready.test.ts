import { expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { refusal, withToken } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('opens a draft, its summary becomes the description, and it is told', async () => {
  const { world, otto, draft, issue } = await makePullWorld()
  const of = await issue()
  const number = await draft(otto, undefined, { issue: of })
  world.clock.advance(5_000)
  const pull = await world.call(markPullReady, otto, {
    repo: REPO,
    number,
    summary: 'Done **well**.',
  })
  expect(pull).toMatchObject({
    status: 'open',
    body: 'Done **well**.',
    revision: 1,
    blockers: [],
    ready_at: new Date(world.clock.now()).toISOString(),
  })
  expect(world.events('pull.ready').map(({ data }) => data)).toEqual([{ number, issue: of }])
  expect((await world.call(getIssue, otto, { repo: REPO, number: of })).pulls).toMatchObject([
    { number, status: 'open' },
  ])
})

test('on an open one only the description changes', async () => {
  const { world, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  expect(
    await world.call(markPullReady, otto, { repo: REPO, number, summary: 'New words' }),
  ).toMatchObject({ status: 'open', body: 'New words', revision: 1 })
  expect(world.events('pull.ready')).toHaveLength(1)
  expect(world.events('pull.updated').at(-1)?.data).toMatchObject({ number, changed: ['body'] })
  const told = world.events().length
  await world.call(markPullReady, otto, { repo: REPO, number, summary: 'New words' })
  expect(world.events()).toHaveLength(told)
})

test('needs commits that the base lacks', async () => {
  const { world, otto, draft, push, fork, ref, pull } = await makePullWorld()
  const number = await draft(otto, null)
  const ready = () => world.call(markPullReady, otto, { repo: REPO, number, summary: 'x' })
  expect(await refusal(ready())).toMatchObject({ status: 409, reason: 'not_ready' })
  await push(fork(number), 'feature', ref('main'), otto)
  expect(pull(number).head_sha).toBe(ref('main'))
  expect(await refusal(ready())).toMatchObject({ status: 409, reason: 'not_ready' })
  expect(pull(number).status).toBe('draft')
  expect(world.events('pull.ready')).toEqual([])
})

test('is for its author, their agent, or write; a summary is required', async () => {
  const { world, mel, otto, agent, draft, pull } = await makePullWorld()
  const number = await draft(otto)
  const noel = await world.user('noel')
  const ready = (caller: Parameters<typeof world.call>[1], summary = 'x') =>
    world.call(markPullReady, caller, { repo: REPO, number, summary })
  expect(await refusal(ready(noel))).toMatchObject({ status: 403, reason: 'role' })
  expect(await refusal(ready(withToken(otto, { scopes: ['pulls:read'] })))).toMatchObject({
    status: 403,
    reason: 'scope',
  })
  expect(await refusal(ready(otto, ''))).toMatchObject({ status: 422, field: 'summary' })
  expect(await refusal(ready(otto, '  \n'))).toMatchObject({ status: 422, field: 'summary' })
  expect(pull(number).status).toBe('draft')
  expect((await ready(await agent(otto))).status).toBe('open')
  const second = await draft(otto)
  expect(
    (await world.call(markPullReady, mel, { repo: REPO, number: second, summary: 'x' })).status,
  ).toBe('open')
})

test('an approval of the draft does not count for what is now asked to be reviewed', async () => {
  const { world, mel, otto, draft } = await makePullWorld({ required_approvals: 1 })
  const number = await draft(otto)
  expect(
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' }),
  ).toMatchObject({ counted: true, stale: false })
  const pull = await world.call(markPullReady, otto, { repo: REPO, number, summary: 'x' })
  expect(pull.approvals).toEqual({ required: 1, counted: 0 })
  expect((await world.call(getPull, otto, { repo: REPO, number })).reviews).toMatchObject([
    { counted: false, stale: true, why_not_counted: 'stale' },
  ])
})
