import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addDraftComment } from '#features/pulls/reviews/add-draft-comment.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { refusal } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { reviewing } from '../reviewing.ts'

test('lines outside the change, empty words, visitors and settled pull requests are refused, and nothing is kept', async () => {
  const { world, mel, otto, number, keep, kept } = await reviewing()
  expect(await refusal(keep(mel, 20, 'Far away'))).toMatchObject({ status: 422, field: 'line' })
  expect(await refusal(keep(mel, 3, '  '))).toMatchObject({ status: 422, field: 'body' })
  expect(
    await refusal(
      world.call(addDraftComment, anonymous, {
        repo: REPO,
        number,
        path: 'a.txt',
        line: 3,
        body: 'x',
      }),
    ),
  ).toMatchObject({ status: 401 })
  await world.call(closePull, otto, { repo: REPO, number })
  expect(await refusal(keep(mel, 3, 'Late'))).toMatchObject({ status: 409, reason: 'not_open' })
  expect(await kept(mel)).toEqual([])
})
