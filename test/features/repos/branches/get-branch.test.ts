import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { getBranch } from '#features/repos/branches/get-branch.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, bob, one } = await makeCode()

test('one is got by its whole name', async () => {
  await world.call(createBranch, bob, { repo, branch: 'topic/x', from: one })
  expect(await world.call(getBranch, anonymous, { repo, branch: 'topic/x' })).toMatchObject({
    name: 'topic/x',
    behind: 1,
    commit: { sha: one, message: 'One' },
  })
  expect((await refusal(world.call(getBranch, anonymous, { repo, branch: 'topic' }))).status).toBe(
    404,
  )
})
