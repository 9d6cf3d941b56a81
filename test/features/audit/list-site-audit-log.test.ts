import { expect, test } from 'bun:test'
import { listSiteAuditLog } from '#features/audit/list-site-audit-log.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { makeWorld, refusal } from '../../world.ts'

test('administrators see the entries of all workspaces, filtered by actor and action', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  for (const [workspace, owner] of [
    ['acme', ada],
    ['bakery', bob],
  ] as const) {
    await world.workspace(workspace, { owner })
    await world.call(setBasePermission, owner, { workspace, base_permission: 'none' })
  }
  const list = async (input: object) =>
    (await world.call(listSiteAuditLog, root, input)).items.map(({ workspace }) => workspace)
  const action = 'workspace.base_permission_changed'
  expect(await list({ action })).toEqual(['bakery', 'acme'])
  expect(await list({ action, actor: 'ADA' })).toEqual(['acme'])
  expect(await list({ actor: 'nobody' })).toEqual([])
  expect(await refusal(world.call(listSiteAuditLog, root, { since: 'x' }))).toMatchObject({
    field: 'since',
  })
  expect(await refusal(world.call(listSiteAuditLog, ada, {}))).toMatchObject({ status: 403 })
})
