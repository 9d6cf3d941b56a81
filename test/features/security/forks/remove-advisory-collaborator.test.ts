import { expect, test } from 'bun:test'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { removeAdvisoryCollaborator } from '#features/security/forks/remove-advisory-collaborator.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('an invitation ends at once, and once', async () => {
  const { world, ada, ivy, id, open, invite } = await makeForkWorld()
  await open()
  await invite('ivy')
  const remove = (who = ada) =>
    world.call(removeAdvisoryCollaborator, who, { repo: REPO, id, username: 'ivy' })
  expect((await refusal(remove(ivy))).status).toBe(403)
  await remove()
  const seen = world.call(getAdvisoryFork, ivy, { repo: REPO, id })
  expect((await refusal(seen)).status).toBe(404)
  expect((await refusal(remove())).status).toBe(404)
})
