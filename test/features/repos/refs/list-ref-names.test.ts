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
