import { expect, test } from 'bun:test'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { seeded } from './audit-fixture.ts'

test('privileges: what is left out stays, members are held to them, and what changed is in the log', async () => {
  const { world, ada, bob, acme, audits } = await seeded()
  const set = (input: object, as = ada) =>
    world.call(setMemberPrivileges, as, { workspace: 'acme', ...input })
  expect(
    await set({ members_can_create_public_repositories: false, team_creation: 'owners' }),
  ).toMatchObject({
    members_can_create_public_repositories: false,
    members_can_create_private_repositories: true,
    team_creation: 'owners',
    members_can_delete_repositories: false,
    role: 'owner',
  })
  expect(
    (
      await refusal(
        world.call(createRepo, bob, { workspace: 'acme', name: 'open', private: false }),
      )
    ).reason,
  ).toBe('role')
  const locked = await refusal(set({ two_factor_requirement_enabled: true }))
  expect([locked.status, locked.reason]).toEqual([403, 'two_factor_required'])
  expect(locked.message).toContain('Security in your settings')
  expect((await set({ two_factor_requirement_enabled: false })).role).toBe('owner')
  await world.write((tx) => tx.db.run('UPDATE users SET two_factor_enabled = 1'))
  expect((await set({ two_factor_requirement_enabled: true })).team_creation).toBe('owners')
  await set({ two_factor_requirement_enabled: true })
  expect(audits('workspace.privileges_changed')).toEqual([
    {
      before: { team_creation: 'members', members_can_create_public_repositories: true },
      after: { team_creation: 'owners', members_can_create_public_repositories: false },
    },
    {
      before: { two_factor_requirement_enabled: false },
      after: { two_factor_requirement_enabled: true },
    },
  ])
  expect((await refusal(set({}))).code).toBe('invalid')
  expect((await refusal(set({ team_creation: 'nobody' }))).field).toBe('team_creation')
  expect((await refusal(set({ members_can_delete_repositories: true }, bob))).reason).toBe('role')
  expect(
    (
      await refusal(
        set(
          { members_can_delete_repositories: true },
          withToken(ada, { scopes: ['workspace:admin'] }),
        ),
      )
    ).details,
  ).toEqual({ scope: 'access:admin' })
  expect(
    (
      await refusal(
        world.call(setMemberPrivileges, workspaceCaller(acme), {
          workspace: 'acme',
          team_creation: 'members',
        }),
      )
    ).reason,
  ).toBe('person_required')
  expect(
    (await world.call(getWorkspace, bob, { workspace: 'acme' })).members_can_delete_repositories,
  ).toBe(false)
})
