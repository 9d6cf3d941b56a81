import { expect, test } from 'bun:test'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, bob, one } = await makeCode()

test('a branch can begin at a tag, a branch or a commit, and nowhere else', async () => {
  expect(
    (await world.call(createBranch, bob, { repo, branch: 'old', from: one.slice(0, 8) })).commit
      .sha,
  ).toBe(one)
  expect(
    await refusal(world.call(createBranch, bob, { repo, branch: 'bad', from: 'nowhere' })),
  ).toMatchObject({ status: 404, field: 'from' })
  expect(await refusal(world.call(createBranch, bob, { repo, branch: 'main' }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
  })
  expect(
    await refusal(world.call(createBranch, bob, { repo, branch: 'main/below' })),
  ).toMatchObject({ status: 409, reason: 'already_exists' })
  for (const branch of ['a..b', '-x', 'HEAD', 'x.lock', 'sp ace']) {
    expect(await refusal(world.call(createBranch, bob, { repo, branch }))).toMatchObject({
      status: 422,
      field: 'branch',
    })
  }
})
