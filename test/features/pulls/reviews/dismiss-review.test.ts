import { expect, test } from 'bun:test'
import { dismissReview } from '#features/pulls/reviews/dismiss-review.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('takes the effect from a request for changes, and says who did and why', async () => {
  const { world, ada, mel, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  const { id } = await world.call(reviewPull, mel, {
    repo: REPO,
    number,
    verdict: 'request_changes',
    body: 'No',
  })
  expect(
    await world.call(dismissReview, ada, { repo: REPO, number, id, reason: 'Settled by phone' }),
  ).toMatchObject({
    id,
    counted: false,
    why_not_counted: 'dismissed',
    dismissed: { by: { username: 'ada' }, reason: 'Settled by phone' },
  })
  expect((await world.call(getPull, otto, { repo: REPO, number })).blockers).toEqual([])
  const told = world.events().length
  expect(
    (await world.call(dismissReview, ada, { repo: REPO, number, id, reason: 'Again' })).dismissed
      ?.reason,
  ).toBe('Settled by phone')
  expect(world.events()).toHaveLength(told)
})

test('does not bring back the verdict that it had replaced: only the latest of each author counts', async () => {
  const { world, ada, mel, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
  const { id } = await world.call(reviewPull, mel, {
    repo: REPO,
    number,
    verdict: 'request_changes',
    body: 'No',
  })
  await world.call(dismissReview, ada, { repo: REPO, number, id, reason: 'x' })
  expect(
    (await world.call(getPull, otto, { repo: REPO, number })).reviews.map(({ counted }) => counted),
  ).toEqual([false, false])
})

test('needs maintain, a person, a reason, and a review of this pull request', async () => {
  const { world, ada, mel, max, otto, agent, ready } = await makePullWorld()
  const number = await ready(otto)
  const other = await ready(otto, { 'c.txt': 'c\n' })
  const { id } = await world.call(reviewPull, mel, {
    repo: REPO,
    number,
    verdict: 'request_changes',
    body: 'No',
  })
  const dismiss = (caller: Parameters<typeof world.call>[1], input: object = {}) =>
    refusal(world.call(dismissReview, caller, { repo: REPO, number, id, reason: 'x', ...input }))
  expect(await dismiss(max)).toMatchObject({ status: 403, reason: 'role' })
  expect(await dismiss(await agent(ada))).toMatchObject({ status: 403, reason: 'person_required' })
  expect(await dismiss(ada, { reason: ' ' })).toMatchObject({ status: 422, field: 'reason' })
  expect(await dismiss(ada, { number: other })).toMatchObject({ status: 404 })
  expect(await dismiss(ada, { id: 'rvw_nothing' })).toMatchObject({ status: 404 })
  expect((await world.call(getPull, otto, { repo: REPO, number })).reviews).toMatchObject([
    { dismissed: null, counted: true },
  ])
})
