import { expect, test } from 'bun:test'
import { listAdvisoryCollaborators } from '#features/security/forks/list-advisory-collaborators.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('those who work on an advisory see who is invited', async () => {
  const { world, ada, mel, ivy, id, invite } = await makeForkWorld()
  await invite('ivy')
  world.clock.advance(1_000)
  await invite('rita')
  for (const who of [ada, ivy]) {
    const { items } = await world.call(listAdvisoryCollaborators, who, { repo: REPO, id })
    expect(items.map(({ user }) => user.username)).toEqual(['ivy', 'rita'])
  }
  const others = world.call(listAdvisoryCollaborators, mel, { repo: REPO, id })
  expect((await refusal(others)).status).toBe(404)
})
