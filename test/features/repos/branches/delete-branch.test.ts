import { expect, test } from 'bun:test'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, ada, bob } = await makeCode()

test('branches are deleted by those who write, but the default one never', async () => {
  await world.call(createBranch, bob, { repo, branch: 'old' })
  expect(
    (await refusal(world.call(deleteBranch, await world.user('eve'), { repo, branch: 'old' })))
      .status,
  ).toBe(403)
  expect(await world.call(deleteBranch, bob, { repo, branch: 'old' })).toBeNull()
  expect(world.events('git.push').at(-1)?.data).toMatchObject({
    ref: 'refs/heads/old',
    deleted: true,
    after: null,
  })
  expect((await refusal(world.call(deleteBranch, bob, { repo, branch: 'old' }))).status).toBe(404)
  expect((await refusal(world.call(deleteBranch, ada, { repo, branch: 'main' }))).status).toBe(409)
})
