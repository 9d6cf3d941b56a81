import { expect, test } from 'bun:test'
import { listSecurityManagers } from '#features/security/managers/list-security-managers.ts'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { refusal } from '../../../world.ts'
import { makeTeamWorld } from '../../teams/fixture.ts'

test('members see who works on findings, but not that a secret team does', async () => {
  const { world, ada, bob, cy, out, team, join } = await makeTeamWorld()
  await team('Security')
  await team('Hidden', { visibility: 'secret' })
  await join('hidden', 'bob')
  const input = { workspace: 'acme' }
  const slugs = async (as: typeof ada) =>
    (await world.call(listSecurityManagers, as, input)).items.map(({ slug }) => slug)
  expect(await slugs(ada)).toEqual([])
  for (const slug of ['security', 'hidden'])
    await world.call(setSecurityManager, ada, { ...input, team: slug })
  expect(await slugs(ada)).toEqual(['hidden', 'security'])
  expect(await slugs(bob)).toEqual(['hidden', 'security'])
  expect(await slugs(cy)).toEqual(['security'])
  expect((await refusal(world.call(listSecurityManagers, out, input))).status).toBe(404)
})
