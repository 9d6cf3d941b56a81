import { expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { finishReview } from '#features/pulls/reviews/finish-review.ts'
import { refusal } from '../../../world.ts'
import { REPO, text } from '../fixture.ts'
import { reviewing } from '../reviewing.ts'

test('nobody else sees what is kept, and all of it comes with the review', async () => {
  const { world, mel, max, number, keep, kept, comments } = await reviewing()
  await keep(mel, 3, 'First')
  await keep(mel, 12, 'Second')
  await keep(max, 3, 'Mine')
  expect(await comments()).toEqual([])
  expect(world.events('comment.created')).toEqual([])
  expect((await kept(mel)).map(({ body }) => body)).toEqual(['First', 'Second'])
  const review = await world.call(finishReview, mel, {
    repo: REPO,
    number,
    verdict: 'request_changes',
    body: 'Please',
  })
  expect(review).toMatchObject({
    verdict: 'request_changes',
    counted: true,
    comments: [expect.any(String), expect.any(String)],
  })
  expect((await comments()).map(({ body, review: of, line }) => [body, of, line])).toEqual([
    ['First', review.id, 3],
    ['Second', review.id, 12],
  ])
  expect([await kept(mel), (await kept(max)).length]).toEqual([[], 1])
})

test('a refused review keeps them', async () => {
  const { world, mel, number, keep, kept, comments } = await reviewing()
  await keep(mel, 3, 'First')
  expect(
    await refusal(
      world.call(finishReview, mel, { repo: REPO, number, verdict: 'request_changes' }),
    ),
  ).toMatchObject({ status: 422, field: 'body' })
  expect([(await kept(mel)).length, await comments()]).toEqual([1, []])
})

test('after a push they keep the commit that they were written on, and the review the one that was looked at', async () => {
  const { world, mel, otto, number, keep, fork, pull } = await reviewing()
  const seen = pull(number).head_sha ?? ''
  await keep(mel, 3, 'About this')
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': text({ 3: 'drei', 12: 'twelve' }) },
    { as: otto },
  )
  await world.call(finishReview, mel, { repo: REPO, number, verdict: 'approve', commit: seen })
  await world.jobs()
  expect(await world.call(getPull, otto, { repo: REPO, number })).toMatchObject({
    reviews: [{ commit: seen, stale: true }],
    comments: [{ commit: seen, outdated: true, line: 3 }],
  })
})
