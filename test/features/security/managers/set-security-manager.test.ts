import { expect, test } from 'bun:test'
import { isSecurityManager } from '#features/security/index.ts'
import { removeSecurityManager } from '#features/security/managers/remove-security-manager.ts'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { removeTeamMember } from '#features/teams/remove-team-member.ts'
import { deleteTeam } from '#features/teams/delete-team.ts'
import { refusal } from '../../../world.ts'
import { makeTeamWorld } from '../../teams/fixture.ts'

test('the people of a named team and of the teams below it are security managers, until they leave', async () => {
  const { world, ada, bob, cy, dan, db, workspace, team, join, audits } = await makeTeamWorld()
  await team('Security')
  await team('Response', { parent: 'security' })
  await join('security', 'bob')
  await join('response', 'cy')
  const is = (who: { id: string }) => isSecurityManager(db, workspace.id, who.id)
  const input = { workspace: 'acme', team: 'security' }
  expect(is(bob)).toBe(false)
  expect(await world.call(setSecurityManager, ada, input)).toMatchObject({ slug: 'security' })
  await world.call(setSecurityManager, ada, input)
  // Whoever creates a team is in it.
  expect([is(bob), is(cy), is(dan), is(ada)]).toEqual([true, true, false, true])
  // The second call changed nothing, so one entry is there.
  expect(audits('security.manager_added')).toMatchObject([{ target_name: 'security' }])
  await world.call(removeTeamMember, ada, { ...input, username: 'bob' })
  expect(is(bob)).toBe(false)

  await world.call(removeSecurityManager, ada, input)
  expect(is(cy)).toBe(false)
  expect(audits('security.manager_removed')).toHaveLength(1)
  expect((await refusal(world.call(removeSecurityManager, ada, input))).status).toBe(404)
  await world.call(setSecurityManager, ada, input)
  await world.call(deleteTeam, ada, input)
  expect(db.all('SELECT * FROM security_managers')).toEqual([])
})
