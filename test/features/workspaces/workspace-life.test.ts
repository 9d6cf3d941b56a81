import { expect, test } from 'bun:test'
import { actorOf, issueToken } from '#features/accounts/index.ts'
import { createRepo } from '#features/repos/create-repo.ts'
import { deleteRepo } from '#features/repos/delete-repo.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { repoFacts } from '#features/repos/index.ts'
import { listRepos } from '#features/repos/list-repos.ts'
import { purgeRepo } from '#features/repos/purge-repo.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { formerWorkspace } from '#features/workspaces/index.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { renameWorkspace } from '#features/workspaces/rename-workspace.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { updateWorkspace } from '#features/workspaces/update-workspace.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  const audits = (action: string) =>
    world.hearth.db
      .all<{ data: string }>('SELECT data FROM audit_log WHERE action = ? ORDER BY id', action)
      .map(({ data }) => JSON.parse(data) as Record<string, unknown>)
  return { world, ada, bob, acme, audits }
}

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

test('what else is changed about it is in the log too', async () => {
  const { world, ada, audits } = await seeded()
  await world.call(updateWorkspace, ada, {
    workspace: 'acme',
    base_permission: 'read',
    description: 'Anvils',
  })
  await world.call(updateWorkspace, ada, { workspace: 'acme', base_permission: 'read' })
  expect(audits('workspace.base_permission_changed')).toEqual([
    { before: { base_permission: 'write' }, after: { base_permission: 'read' } },
  ])
  expect(audits('workspace.updated')).toEqual([
    { before: { name: 'acme', description: '' }, after: { name: 'acme', description: 'Anvils' } },
  ])
})

test('deleting: only when empty, deleted repositories counted until they are purged', async () => {
  const { world, ada, bob, acme, audits } = await seeded()
  await world.repo('acme/site', { as: ada })
  const remove = (confirm = 'acme', as = ada) =>
    world.call(deleteWorkspace, as, { workspace: 'acme', confirm })
  expect((await refusal(remove('site'))).field).toBe('confirm')
  expect((await refusal(remove('acme', bob))).reason).toBe('role')
  expect((await refusal(remove())).reason).toBe('not_empty')
  await world.call(deleteRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  expect((await refusal(remove())).details).toEqual({ repositories: 1 })
  await world.call(purgeRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  await world.jobs()
  const { secret } = await world.write((tx) =>
    issueToken(tx, {
      actor_id: acme.id,
      kind: 'workspace',
      name: 'bot',
      source: 'api',
      scopes: ['repo:read'],
      repos: null,
      workspace_id: acme.id,
      role: 'write',
      expires_at: null,
    }),
  )
  expect(world.hearth.callers.byToken(secret)?.kind).toBe('workspace')
  expect(await remove()).toBeNull()
  expect((await refusal(world.call(getWorkspace, ada, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  expect(world.hearth.callers.byToken(secret)).toBeNull()
  expect(world.hearth.db.all('SELECT 1 FROM members WHERE workspace_id = ?', acme.id)).toEqual([])
  expect(audits('workspace.deleted')).toHaveLength(1)
  expect(actorOf(world.hearth, acme.id)).toMatchObject({
    id: acme.id,
    kind: 'workspace',
    username: 'ghost',
  })
  // The slug is free again.
  expect((await world.call(createWorkspace, bob, { slug: 'acme' })).id).not.toBe(acme.id)
})

test('a deleted workspace that wrote something stays in it as ghost', async () => {
  const { world, ada, acme } = await seeded()
  await world.workspace('other', { owner: ada })
  await world.repo('other/lib', { as: ada })
  await world.write((tx) => tx.db.run(`UPDATE repos SET created_by = ?`, acme.id))
  await world.call(deleteWorkspace, ada, { workspace: 'acme', confirm: 'acme' })
  expect((await world.call(getRepo, ada, { repo: 'other/lib' })).created_by).toMatchObject({
    id: acme.id,
    username: 'ghost',
    name: null,
  })
  expect((await world.call(createWorkspace, ada, { slug: 'acme' })).slug).toBe('acme')
})

test('renaming: the old slug leads to the new one, for every repository, until somebody takes it', async () => {
  const { world, ada, bob, acme, audits } = await seeded()
  const out = await world.user('out')
  await world.repo('acme/site', { as: ada })
  const rename = (slug: string, as = ada, workspace = 'acme') =>
    world.call(renameWorkspace, as, { workspace, slug })
  expect((await refusal(rename('anvils', bob))).reason).toBe('role')
  for (const slug of ['Not', 'bob', 'settings'])
    expect((await refusal(rename(slug))).field).toBe('slug')
  expect((await refusal(rename('acme'))).field).toBe('slug')
  expect(await rename('anvils')).toMatchObject({ id: acme.id, slug: 'anvils', name: 'anvils' })
  expect(audits('workspace.renamed')).toEqual([
    { before: { slug: 'acme' }, after: { slug: 'anvils' } },
  ])
  expect((await world.call(getRepo, ada, { repo: 'anvils/site' })).full_name).toBe('anvils/site')
  expect(await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'anvils/site' },
  })
  expect(await refusal(world.call(getWorkspace, ada, { workspace: 'acme' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'anvils' },
  })
  // Strangers learn of a new name only through what is public.
  expect((await refusal(world.call(getWorkspace, out, { workspace: 'acme' }))).reason).toBeNull()
  expect(
    (await world.call(listRepos, out, { workspace: 'acme' })).items.map(
      ({ full_name }) => full_name,
    ),
  ).toEqual(['anvils/site'])
  expect(formerWorkspace(world.hearth.db, 'acme')?.slug).toBe('anvils')
  // Back and forth leaves no circle.
  await rename('acme', ada, 'anvils')
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).full_name).toBe('acme/site')
  expect(await refusal(world.call(getRepo, ada, { repo: 'anvils/site' }))).toMatchObject({
    reason: 'moved',
    details: { moved_to: 'acme/site' },
  })
  await rename('bakery')
  await world.workspace('acme', { owner: bob })
  expect(repoFacts(world.hearth.db, 'acme/site', ada)).toBeNull()
  const old = await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))
  expect([old.code, old.reason]).toEqual(['not_found', null])
})
