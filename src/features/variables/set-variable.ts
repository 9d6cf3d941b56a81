import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { changeSetting } from './change-setting.ts'
import { SettingName, settingInputs } from './inputs.ts'
import { settingRoutes, writesVariables } from './owner.ts'
import { Variable } from './schema.ts'
import { variableRecord } from './setting-record.ts'

export const setVariable = operation({
  name: 'set_variable',
  summary:
    'Set a variable that jobs of workflows read, of a repository (Admin) or a workspace (Owners). A row for given environments or projects wins over the one for all. Answers the variable.',
  keywords: ['environment variable', 'configuration of CI', 'vars', 'add a variable'],
  route: settingRoutes('POST', 'variables'),
  toolset: 'workflows',
  access: writesVariables,
  input: Type.Object({ ...ownerInput, setting: SettingName, ...settingInputs }),
  output: Variable,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, workspace, write }, input) =>
    write((tx) =>
      variableRecord(hearth, changeSetting(tx, { repo, workspace }, 'variable', input)),
    ),
})
