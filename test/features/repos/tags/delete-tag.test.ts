import { expect, test } from 'bun:test'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { deleteTag } from '#features/repos/tags/delete-tag.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('maintainers delete tags; those who only write do not', async () => {
  const { world, ada, bob, audits } = await makeLife()
  const repo = 'acme/site'
  await world.call(createTag, bob, { repo, tag: 'v1/a', target: 'main', message: 'One' })
  expect(await refusal(world.call(deleteTag, bob, { repo, tag: 'v1/a' }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect((await world.call(listTags, ada, { repo })).items.length).toBe(1)
  expect(await world.call(deleteTag, ada, { repo, tag: 'v1/a' })).toBeNull()
  expect((await world.call(listTags, ada, { repo })).items).toEqual([])
  expect(world.events('git.push').at(-1)?.data).toMatchObject({
    ref: 'refs/tags/v1/a',
    deleted: true,
    after: null,
  })
  expect(audits('tag.deleted')).toMatchObject([{ data: { before: { tag: 'v1/a' } } }])
  expect(await refusal(world.call(deleteTag, ada, { repo, tag: 'v1/a' }))).toMatchObject({
    status: 404,
    field: 'tag',
  })
})
