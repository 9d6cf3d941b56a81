import { expect, test } from 'bun:test'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { listWorkspaceTokens } from '#features/workspaces/list-workspace-tokens.ts'
import { makeWorld, refusal, workspaceCaller } from '../../world.ts'

test('owners list the tokens of a workspace, newest first, without secrets', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  const input = { workspace: 'acme', scopes: ['repo:read'] }
  for (const name of ['deploy', 'report'])
    await world.call(createWorkspaceToken, ada, { ...input, name })
  const { items } = await world.call(listWorkspaceTokens, ada, { workspace: 'acme' })
  expect(items).toMatchObject([
    { name: 'report', kind: 'workspace', scopes: ['repo:read'] },
    { name: 'deploy', kind: 'workspace', scopes: ['repo:read'] },
  ])
  expect(JSON.stringify(items)).not.toContain('secret')
  const list = (caller: typeof ada) =>
    world.call(listWorkspaceTokens, caller, { workspace: 'acme' })
  expect((await refusal(list(bob))).reason).toBe('role')
  const service = world.call(listWorkspaceTokens, workspaceCaller(acme), { workspace: 'acme' })
  expect((await refusal(service)).reason).toBe('person_required')
})
