import { expect, test } from 'bun:test'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { revokeWorkspaceToken } from '#features/workspaces/revoke-workspace-token.ts'
import { updateMember } from '#features/workspaces/update-member.ts'
import { refusal } from '../../world.ts'
import { seeded } from './token-fixture.ts'

test('a token outlives its creator until an owner revokes it or the workspace is deleted', async () => {
  const { world, ada, bob, create, caller, audit } = await seeded()
  const token = await create()
  const kept = await create({ name: 'kept' })
  await world.call(updateMember, ada, { workspace: 'acme', username: 'bob', role: 'owner' })
  await world.call(removeMember, bob, { workspace: 'acme', username: 'ada' })
  caller(token.secret)
  expect(
    await refusal(world.call(revokeWorkspaceToken, ada, { workspace: 'acme', id: token.id })),
  ).toMatchObject({ status: 404 })
  const other = await world.workspace('elsewhere', { owner: bob })
  expect(
    await refusal(world.call(revokeWorkspaceToken, bob, { workspace: other.slug, id: token.id })),
  ).toMatchObject({ status: 404 })
  expect(
    await world.call(revokeWorkspaceToken, bob, { workspace: 'acme', id: token.id }),
  ).toBeNull()
  expect(world.hearth.callers.byToken(token.secret ?? '')).toBeNull()
  expect(audit().at(-1)?.action).toBe('token.revoked')

  await world.call(createWorkspaceToken, bob, {
    workspace: 'elsewhere',
    name: 'x',
    scopes: ['repo:read'],
  })
  await world.call(deleteWorkspace, bob, { workspace: 'elsewhere', confirm: 'elsewhere' })
  expect(world.hearth.db.all('SELECT id FROM tokens').length).toBe(1)
  caller(kept.secret)
})
