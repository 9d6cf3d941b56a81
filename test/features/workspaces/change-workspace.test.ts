import { expect, test } from 'bun:test'
import { updateWorkspace } from '#features/workspaces/update-workspace.ts'
import { seeded } from './audit-fixture.ts'

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
