import { expect, test } from 'bun:test'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { getWorkspaceSecurity } from '#features/security/overview/get-workspace-security.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from '../secrets/fixture.ts'

test('owners and security managers see the repositories with open alerts, and their trend', async () => {
  const { world, ada, bob, repo, main, commit, pushTo } = await makeSecretsWorld({
    push_protection: false,
  })
  const workspace = 'acme'
  const read = (as = ada) => world.call(getWorkspaceSecurity, as, { workspace })
  expect((await read()).repos).toEqual([])
  await pushTo('a', await commit(main, { a: madeUpToken() }))
  await world.jobs()
  world.clock.advance(8 * DAY)
  await pushTo('b', await commit(main, { b: madeUpToken(), c: madeUpToken() }))
  await world.jobs()
  const { repos, weeks } = await read()
  expect(repos).toMatchObject([{ repo, open: 3, critical: 0, high: 0 }])
  expect(weeks.map(({ opened }) => opened).slice(-3)).toEqual([0, 1, 2])
  expect(await refusal(read(bob))).toMatchObject({ reason: 'role' })
  await world.call(createTeam, ada, { workspace, name: 'Guards' })
  await world.call(setTeamMember, ada, { workspace, team: 'guards', username: 'bob' })
  await world.call(setSecurityManager, ada, { workspace, team: 'guards' })
  expect((await read(bob)).repos).toHaveLength(1)
})
