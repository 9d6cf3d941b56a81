import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { listCommitRefs } from '#features/repos/refs/list-commit-refs.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

test('branches and tags that reach a commit, the lowest version first', async () => {
  const { world, ada, one, two } = await makeCode()
  await world.call(createBranch, ada, { repo, branch: 'old', from: one })
  for (const tag of ['v1.10', 'v1.9'])
    await world.call(createTag, ada, { repo, tag, target: two, message: 'annotated' })
  await world.call(createTag, ada, { repo, tag: 'v1.0', target: one })
  const first = await world.call(listCommitRefs, anonymous, { repo, sha: one })
  expect({ ...first, branches: [...first.branches].sort() }).toEqual({
    branches: ['main', 'old'],
    tags: ['v1.0', 'v1.9', 'v1.10'],
    complete: true,
  })
  expect(await world.call(listCommitRefs, anonymous, { repo, sha: two })).toEqual({
    branches: ['main'],
    tags: ['v1.9', 'v1.10'],
    complete: true,
  })
  expect(
    await refusal(world.call(listCommitRefs, anonymous, { repo, sha: '0'.repeat(40) })),
  ).toMatchObject({ status: 404 })
})
