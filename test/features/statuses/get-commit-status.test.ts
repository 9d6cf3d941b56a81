import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getCommitStatus } from '#features/statuses/get-commit-status.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { makeCode, repo } from '../repos/code.ts'
import { refusal } from '../../world.ts'

test('by branch or commit, for whoever sees the repository', async () => {
  const { world, ada, one, two } = await makeCode()
  expect(await world.call(getCommitStatus, anonymous, { repo, ref: 'main' })).toEqual({
    sha: two,
    state: 'none',
    statuses: [],
    total: 0,
  })
  await world.call(setCommitStatus, ada, { repo, sha: one, state: 'success', context: 'ci' })
  expect(await world.call(getCommitStatus, anonymous, { repo, ref: one })).toMatchObject({
    sha: one,
    state: 'success',
    total: 1,
  })
  expect(
    await world.call(getCommitStatus, anonymous, { repo, ref: one.slice(0, 9) }),
  ).toMatchObject({ sha: one, state: 'success' })
  expect((await world.call(getCommitStatus, anonymous, { repo, ref: two })).state).toBe('none')
  expect(
    (await refusal(world.call(getCommitStatus, anonymous, { repo, ref: 'nowhere' }))).code,
  ).toBe('not_found')
  await world.repo('acme/hidden', { private: true })
  expect(
    (await refusal(world.call(getCommitStatus, anonymous, { repo: 'acme/hidden', ref: 'main' })))
      .code,
  ).toBe('not_found')
})
