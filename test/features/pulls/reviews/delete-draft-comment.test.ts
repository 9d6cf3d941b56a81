import { expect, test } from 'bun:test'
import { deleteDraftComment } from '#features/pulls/reviews/delete-draft-comment.ts'
import { refusal } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { reviewing } from '../reviewing.ts'

test('only their author throws them away, once', async () => {
  const { world, mel, max, number, keep, kept } = await reviewing()
  const { id } = await keep(mel, 3, 'First')
  const remove = (caller: typeof mel) =>
    world.call(deleteDraftComment, caller, { repo: REPO, number, id })
  expect(await refusal(remove(max))).toMatchObject({ status: 404 })
  expect(await kept(mel)).toHaveLength(1)
  await remove(mel)
  expect(await kept(mel)).toEqual([])
  expect(await refusal(remove(mel))).toMatchObject({ status: 404 })
})
