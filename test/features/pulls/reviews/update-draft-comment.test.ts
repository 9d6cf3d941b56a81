import { expect, test } from 'bun:test'
import { finishReview } from '#features/pulls/reviews/finish-review.ts'
import { updateDraftComment } from '#features/pulls/reviews/update-draft-comment.ts'
import { refusal } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { reviewing } from '../reviewing.ts'

test('only their author changes them, until the review is sent', async () => {
  const { world, mel, max, number, keep, kept } = await reviewing()
  const { id } = await keep(mel, 3, 'First')
  const change = (caller: typeof mel, body: string) =>
    world.call(updateDraftComment, caller, { repo: REPO, number, id, body })
  expect(await refusal(change(max, 'Theirs'))).toMatchObject({ status: 404 })
  expect(await refusal(change(mel, '  \n'))).toMatchObject({ status: 422, field: 'body' })
  expect(await kept(mel)).toMatchObject([{ body: 'First', line: 3 }])
  await change(mel, 'Second')
  expect(await kept(mel)).toMatchObject([{ id, body: 'Second', line: 3 }])
  await world.call(finishReview, mel, { repo: REPO, number, verdict: 'comment' })
  expect(await refusal(change(mel, 'Third'))).toMatchObject({ status: 404 })
})
