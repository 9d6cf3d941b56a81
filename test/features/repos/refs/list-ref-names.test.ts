import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { listRefNames } from '#features/repos/refs/list-ref-names.ts'
import { makeCode, repo } from '../code.ts'

test('the default branch comes first, then the latest, as many as are wanted', async () => {
  const { world, ada, one } = await makeCode()
  world.clock.advance(1000)
  await world.call(createBranch, ada, { repo, branch: 'fix/a', from: one })
  world.clock.advance(1000)
  await world.call(createBranch, ada, { repo, branch: 'fix/b', from: one })
  await world.call(createTag, ada, { repo, tag: 'v1', target: one })
  expect(await world.call(listRefNames, anonymous, { repo, branches: 10, tags: 10 })).toEqual({
    branches: ['main', 'fix/b', 'fix/a'],
    tags: ['v1'],
  })
  expect(await world.call(listRefNames, anonymous, { repo, branches: 1, tags: 0 })).toEqual({
    branches: ['main'],
    tags: [],
  })
})

test('tags are ordered by version, and names are filtered', async () => {
  const { world, ada, one } = await makeCode()
  for (const tag of ['v1.9.0', 'nightly', 'v1.10.0', 'v1.10.0-rc.1'])
    await world.call(createTag, ada, { repo, tag, target: one })
  await world.call(createBranch, ada, { repo, branch: 'Release/1.10', from: one })
  const list = (q?: string) =>
    world.call(listRefNames, anonymous, { repo, q, branches: 10, tags: 10 })
  expect((await list()).tags).toEqual(['v1.10.0', 'v1.10.0-rc.1', 'v1.9.0', 'nightly'])
  expect(await list('1.10')).toEqual({
    branches: ['Release/1.10'],
    tags: ['v1.10.0', 'v1.10.0-rc.1'],
  })
  expect((await list('release')).branches).toEqual(['Release/1.10'])
  expect(await list('%')).toEqual({ branches: [], tags: [] })
})
