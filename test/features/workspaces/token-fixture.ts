/** A workspace with a shortcut for its tokens. */
import type { Caller } from '#core/caller.ts'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { makeWorld } from '../../world.ts'

export async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada, private: true })
  await world.repo('acme/other', { as: ada, private: true })
  const create = (input: Record<string, unknown> = {}, as = ada) =>
    world.call(createWorkspaceToken, as, {
      workspace: 'acme',
      name: 'deploy',
      scopes: ['repo:read', 'issues:write'],
      ...input,
    } as never)
  const caller = (secret: string | null): Caller => {
    const found = world.hearth.callers.byToken(secret ?? '')
    if (!found) throw new Error('the token does not work')
    return found
  }
  const audit = () =>
    world.hearth.db.all<{ action: string; workspace_id: string | null }>(
      `SELECT action, workspace_id FROM audit_log WHERE action LIKE 'token.%' ORDER BY id`,
    )
  return { world, ada, bob, acme, create, caller, audit }
}
