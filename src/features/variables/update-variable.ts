import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { changeSetting } from './change-setting.ts'
import { SettingName, settingInputs } from './inputs.ts'
import { settingRoutes, writesVariables } from './owner.ts'
import { Variable } from './schema.ts'
import { variableRecord } from './setting-record.ts'

export const updateVariable = operation({
  name: 'update_variable',
  summary:
    'Change a variable of a repository (Admin) or a workspace (Owners): value, note, or which jobs read it. What is left out stays. Answers the variable.',
  keywords: ['change a CI variable', 'edit configuration'],
  route: settingRoutes('PATCH', 'variables/{setting}'),
  toolset: 'workflows',
  access: writesVariables,
  input: Type.Object({ ...ownerInput, setting: SettingName, ...settingInputs }),
  output: Variable,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, workspace, write }, input) =>
    write((tx) =>
      variableRecord(
        hearth,
        changeSetting(tx, { repo, workspace }, 'variable', input, { mustExist: true }),
      ),
    ),
})
