import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { push } from '#features/repos/push/push.ts'
import { makeCode, repo, tagger } from '../code.ts'

const { world, ada, one, two, row } = await makeCode()

test('tags, light and annotated', async () => {
  const { store } = row()
  const tag = await world.hearth.git.createTag(store, {
    object: one,
    name: 'v1',
    message: 'One',
    tagger,
  })
  await world.call(push, ada, {
    repo,
    updates: [
      { name: 'refs/tags/v1', old: null, new: tag },
      { name: 'refs/tags/light', old: null, new: two },
    ],
  })
  const { items } = await world.call(listTags, anonymous, { repo })
  expect(items.find(({ name }) => name === 'v1')).toMatchObject({
    target: one,
    object_sha: tag,
    tagger: { name: 'Ada', actor: { username: 'ada' } },
    created_at: '2023-11-14T22:13:20.000Z',
  })
  expect(items.find(({ name }) => name === 'light')).toMatchObject({
    target: two,
    object_sha: two,
    message: null,
    tagger: null,
  })
  expect((await world.call(getCommit, anonymous, { repo, ref: 'v1' })).sha).toBe(one)
})
