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
    // A lightweight tag is dated by its commit, not by its push.
    created_at: (await world.call(getCommit, anonymous, { repo, ref: two })).committer.date,
  })
  expect((await world.call(getCommit, anonymous, { repo, ref: 'v1' })).sha).toBe(one)
})

test('by version, highest first, page by page, and by a part of the name', async () => {
  await world.call(push, ada, {
    repo,
    updates: ['v2.10', 'v2.9', 'v10.0-beta', 'v10.0'].map((tag) => ({
      name: `refs/tags/${tag}`,
      old: null,
      new: one,
    })),
  })
  const names = async (input: { q?: string; page?: number; per_page?: number }) =>
    (await world.call(listTags, anonymous, { repo, sort: 'version', ...input })).items.map(
      ({ name }) => name,
    )
  expect(await names({})).toEqual(['v10.0', 'v10.0-beta', 'v2.10', 'v2.9', 'v1', 'light'])
  expect(await names({ per_page: 2, page: 2 })).toEqual(['v2.10', 'v2.9'])
  expect(await names({ q: '10' })).toEqual(['v10.0', 'v10.0-beta', 'v2.10'])
})
