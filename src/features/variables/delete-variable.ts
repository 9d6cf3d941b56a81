import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Nothing, Type } from '#core/schema.ts'
import { SettingId, SettingName } from './inputs.ts'
import { auditSetting, requireRows, settingRoutes, writesVariables } from './owner.ts'
import { removeRow } from './store.ts'

export const deleteVariable = operation({
  name: 'delete_variable',
  summary:
    'Delete a variable of a repository (Admin) or a workspace (Owners): all its rows, or the one with an id. The answer is empty.',
  keywords: ['remove a CI variable'],
  route: settingRoutes('DELETE', 'variables/{setting}'),
  toolset: 'workflows',
  access: writesVariables,
  input: Type.Object({ ...ownerInput, setting: SettingName, id: Type.Optional(SettingId) }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, workspace, write }, { setting, id }) =>
    write((tx) => {
      const grants = { repo, workspace }
      const rows = requireRows(tx.db, ownerOf(grants), { kind: 'variable', name: setting, id })
      for (const row of rows) {
        removeRow(tx, row.id)
        auditSetting(tx, 'deleted', row, grants)
      }
      return null
    }),
})
