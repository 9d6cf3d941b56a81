import { expect, test } from 'bun:test'
import { actorOf, issueToken } from '#features/accounts/index.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { refusal } from '../../world.ts'
import { seeded } from './audit-fixture.ts'

test('a workspace is deleted only when empty; deleted repositories count until they are purged', async () => {
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

test('the job of a purge removes the store after its workspace is gone', async () => {
  const { world, ada } = await seeded()
  const { id } = await world.repo('acme/site', { as: ada })
  const input = { repo: 'acme/site', confirm: 'acme/site' }
  await world.call(deleteRepo, ada, input)
  await world.call(purgeRepo, ada, input)
  await world.call(deleteWorkspace, ada, { workspace: 'acme', confirm: 'acme' })
  await world.jobs()
  const stores = [...new Bun.Glob(`repos/**/*${id.slice(4)}*`).scanSync({ cwd: world.data })]
  expect(stores).toEqual([])
  expect(world.hearth.db.all(`SELECT kind FROM jobs WHERE state = 'failed'`)).toEqual([])
})

test('history shows a deleted workspace as ghost', async () => {
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
