import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Nothing, Type } from '#core/schema.ts'
import { SettingId, SettingName } from './inputs.ts'
import { auditSetting, requireRows, settingRoutes, writesSecrets } from './owner.ts'
import { removeRow } from './store.ts'

export const deleteSecret = operation({
  name: 'delete_secret',
  summary:
    'Delete a secret of a repository (Admin) or a workspace (Owners), by a person: all its rows, or the one with an id. The answer is empty.',
  keywords: ['remove a credential of workflows'],
  route: settingRoutes('DELETE', 'secrets/{setting}'),
  toolset: 'workflows',
  access: writesSecrets,
  input: Type.Object({ ...ownerInput, setting: SettingName, id: Type.Optional(SettingId) }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, workspace, write }, { setting, id }) =>
    write((tx) => {
      const grants = { repo, workspace }
      const rows = requireRows(tx.db, ownerOf(grants), { kind: 'secret', name: setting, id })
      for (const row of rows) {
        removeRow(tx, row.id)
        auditSetting(tx, 'deleted', row, grants)
      }
      return null
    }),
})
