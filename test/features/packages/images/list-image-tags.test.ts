import { expect, test } from 'bun:test'
import { listImageTags } from '#features/packages/images/list-image-tags.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('tags come by code point, after a name, for those who may read', async () => {
  const { world, ada, mel, push } = await makeImageWorld()
  await push('one', ['b', 'a', 'C'])
  const list = (last: string, n: number, who = ada) =>
    world.call(listImageTags, who, { ...image, last, n })
  expect(await list('', 2)).toEqual({ tags: ['C', 'a'], more: true })
  expect(await list('a', 2)).toEqual({ tags: ['b'], more: false })
  expect((await refusal(list('', 2, mel))).status).toBe(404)
})
