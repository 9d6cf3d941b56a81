import { expect, spyOn, test } from 'bun:test'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

test('a commit is looked for once while the refs stay, and is gone with its branch', async () => {
  const { world, ada, one } = await makeCode()
  await world.call(createBranch, ada, { repo, branch: 'work', from: one })
  const commit = (content: string) =>
    world.call(createCommit, ada, {
      repo,
      branch: 'work',
      message: content,
      files: [{ path: 'work.txt', action: 'put', content }],
    })
  const { sha } = await commit('first')
  await commit('second')
  const isReachable = spyOn(world.hearth.git, 'isReachable')
  try {
    for (let times = 0; times < 3; times++)
      expect(await world.call(getCommit, ada, { repo, ref: sha })).toMatchObject({ sha })
    expect(isReachable).toHaveBeenCalledTimes(1)
    await world.call(deleteBranch, ada, { repo, branch: 'work' })
    expect(await refusal(world.call(getCommit, ada, { repo, ref: sha }))).toMatchObject({
      status: 404,
    })
    expect(isReachable).toHaveBeenCalledTimes(2)
  } finally {
    isReachable.mockRestore()
  }
})
