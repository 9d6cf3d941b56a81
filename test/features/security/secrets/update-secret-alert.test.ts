import { expect, test } from 'bun:test'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { getSecretAlert } from '#features/security/secrets/get-secret-alert.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { updateSecretAlert } from '#features/security/secrets/update-secret-alert.ts'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

test('an alert is resolved with a reason, found again without a second alert, and opened again', async () => {
  const { world, ada, bob, repo, main, commit, pushTo, alerts } = await makeSecretsWorld({
    push_protection: false,
  })
  const secret = madeUpToken()
  await pushTo('work', await commit(main, { a: `${secret}\n` }))
  await world.jobs()
  const [alert] = await alerts()
  const id = alert?.id ?? ''
  const change = (input: Record<string, unknown>, as = ada) =>
    world.call(updateSecretAlert, as, { repo, id, state: 'resolved', ...input })
  expect((await refusal(change({}))).field).toBe('resolution')
  expect((await refusal(change({ resolution: 'revoked' }, bob))).reason).toBe('role')
  expect(await change({ resolution: 'revoked', note: 'rotated' })).toMatchObject({
    state: 'resolved',
    resolution: 'revoked',
    resolved_by: { username: 'ada' },
    note: 'rotated',
  })
  const list = (state: 'open' | 'resolved') =>
    world.call(listSecretAlerts, ada, { repo, state }).then(({ items }) => items.length)
  expect([await list('open'), await list('resolved')]).toEqual([0, 1])
  await pushTo('more', await commit(main, { b: `x\n${secret}\n` }))
  await world.jobs()
  expect(await alerts()).toMatchObject([{ id, state: 'resolved', locations_count: 2 }])
  expect(await change({ state: 'open' })).toMatchObject({
    state: 'open',
    resolution: null,
    resolved_by: null,
    note: 'rotated',
  })
  await world.call(createTeam, ada, { workspace: 'acme', name: 'Guards' })
  await world.call(setTeamMember, ada, {
    workspace: 'acme',
    team: 'guards',
    username: 'bob',
    role: 'member',
  })
  await world.call(setSecurityManager, ada, { workspace: 'acme', team: 'guards' })
  expect(await change({ resolution: 'wont_fix' }, bob)).toMatchObject({ state: 'resolved' })
  expect((await world.call(getSecretAlert, bob, { repo, id })).html_url).toBe(
    `https://hearth.test/${repo}/security/secrets/${id}`,
  )
})
