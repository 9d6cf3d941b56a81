import { expect, test } from 'bun:test'
import { fetchAdvisoryFork } from '#features/security/forks/fetch-advisory-fork.ts'
import { openAdvisoryFork } from '#features/security/forks/open-advisory-fork.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('a fetch waits for the copy of the base, and sees the refs of the fork alone', async () => {
  const { world, ada, id } = await makeForkWorld()
  await world.commit(REPO, 'other', { 'o.txt': 'o\n' })
  await world.call(openAdvisoryFork, ada, { repo: REPO, id })
  const fetch = () => world.call(fetchAdvisoryFork, ada, { repo: REPO, id })
  expect(await refusal(fetch())).toMatchObject({ status: 409, reason: 'in_progress' })
  await world.jobs()
  expect((await fetch()).refs).toMatchObject({
    head: 'refs/heads/main',
    refs: [{ name: 'refs/heads/main' }],
  })
})
