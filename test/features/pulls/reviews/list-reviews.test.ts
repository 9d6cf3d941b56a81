import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listReviews } from '#features/pulls/reviews/list-reviews.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('newest first, by pages', async () => {
  const { world, mel, max, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'comment', body: 'Hm' })
  await world.call(reviewPull, max, { repo: REPO, number, verdict: 'approve' })
  const list = (page: number) =>
    world.call(listReviews, anonymous, { repo: REPO, number, page, per_page: 1 })
  expect(await list(1)).toMatchObject({
    items: [{ author: { username: 'max' }, counted: true }],
    next: '2',
    total: 2,
  })
  expect(await list(2)).toMatchObject({
    items: [{ author: { username: 'mel' }, body: 'Hm' }],
    next: null,
  })
})
