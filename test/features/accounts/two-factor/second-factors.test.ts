import { expect, test } from 'bun:test'
import { addMember } from '#features/workspaces/index.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { withAuthenticator } from './authenticator-fixture.ts'

const world = await makeWorld()

test('a workspace that requires it shows nothing private to those without, until they have it', async () => {
  const boss = await withPassword(world, 'boss')
  const jan = await withPassword(world, 'jan')
  await withAuthenticator(world, boss)
  const workspace = await world.workspace('bank', { owner: boss })
  await world.write((tx) =>
    addMember(tx, { workspace_id: workspace.id, user_id: jan.id, role: 'member' }),
  )
  await world.repo('bank/vault', { as: boss, private: true })
  await world.repo('bank/flyer', { as: boss })
  expect((await world.call(getRepo, jan, { repo: 'bank/vault' })).name).toBe('vault')
  await world.call(setMemberPrivileges, boss, {
    workspace: 'bank',
    two_factor_requirement_enabled: true,
  })
  expect((await refusal(world.call(getRepo, jan, { repo: 'bank/vault' }))).reason).toBe(
    'two_factor_required',
  )
  expect((await refusal(world.call(listMembers, jan, { workspace: 'bank' }))).reason).toBe(
    'two_factor_required',
  )
  expect((await world.call(getRepo, jan, { repo: 'bank/flyer' })).name).toBe('flyer')
  expect((await world.call(whoami, jan, {})).workspaces).toMatchObject([
    { slug: 'bank', two_factor_required: true },
  ])
  const { items } = await world.call(listMembers, boss, { workspace: 'bank' })
  expect(items.map(({ user, two_factor_enabled }) => [user.username, two_factor_enabled])).toEqual([
    ['jan', false],
    ['boss', true],
  ])
  await withAuthenticator(world, jan)
  expect((await world.call(getRepo, jan, { repo: 'bank/vault' })).name).toBe('vault')
}, 120_000)
