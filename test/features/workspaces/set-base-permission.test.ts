import { expect, test } from 'bun:test'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'

test('sets what members get, for owners with both scopes', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  const set = (base_permission: 'none' | 'read' | 'write' | 'admin', caller = ada) =>
    world.call(setBasePermission, caller, { workspace: 'acme', base_permission })
  expect(await set('read')).toEqual({ ...acme, member_count: 2, base_permission: 'read' })
  expect((await refusal(set('admin', bob))).reason).toBe('role')
  for (const scope of ['workspace:admin', 'access:admin']) {
    expect((await refusal(set('admin', withToken(ada, { scopes: [scope] })))).reason).toBe('scope')
  }
  expect(
    (await set('admin', withToken(ada, { scopes: ['workspace:admin', 'access:admin'] })))
      .base_permission,
  ).toBe('admin')
})

test('it shares the route of update_workspace, so it is a tool only', () => {
  expect([setBasePermission.routes, setBasePermission.tool]).toEqual([[], true])
})
