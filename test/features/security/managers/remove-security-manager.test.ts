import { expect, test } from 'bun:test'
import { removeSecurityManager } from '#features/security/managers/remove-security-manager.ts'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { refusal } from '../../../world.ts'
import { makeTeamWorld } from '../../teams/fixture.ts'

test('only owners name them', async () => {
  const { world, bob, out, team, join } = await makeTeamWorld()
  await team('Security')
  await join('security', 'bob', 'maintainer')
  const input = { workspace: 'acme', team: 'security' }
  for (const operation of [setSecurityManager, removeSecurityManager]) {
    expect((await refusal(world.call<unknown, unknown>(operation, bob, input))).status).toBe(403)
    expect((await refusal(world.call<unknown, unknown>(operation, out, input))).status).toBe(404)
  }
})
