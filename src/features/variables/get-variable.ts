import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { SettingName } from './inputs.ts'
import { readsSettings, requireRows, settingRoutes } from './owner.ts'
import { Variables } from './schema.ts'
import { variableRecord } from './setting-record.ts'

export const getVariable = operation({
  name: 'get_variable',
  summary:
    'Get all rows of one variable of a repository (Write) or of a workspace (members), newest first; they differ in environments, projects or the jobs that read them.',
  keywords: ['value of a CI variable'],
  route: settingRoutes('GET', 'variables/{setting}'),
  toolset: 'workflows',
  access: readsSettings,
  input: Type.Object({ ...ownerInput, setting: SettingName }),
  output: Variables,

  handler: ({ hearth, db, repo, workspace }, { setting }) => {
    const rows = requireRows(db, ownerOf({ repo, workspace }), { kind: 'variable', name: setting })
    return { items: rows.map((row) => variableRecord(hearth, row)), next: null }
  },
})
