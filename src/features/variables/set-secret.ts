import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { secretText, Type } from '#core/schema.ts'
import { changeSetting } from './change-setting.ts'
import { SettingName, settingInputs } from './inputs.ts'
import { settingRoutes, writesSecrets } from './owner.ts'
import { MAX_VALUE_CHARS, Secret } from './schema.ts'
import { secretRecord } from './setting-record.ts'

export const setSecret = operation({
  name: 'set_secret',
  summary:
    'Set a secret that jobs of workflows read, of a repository (Admin) or a workspace (Owners), by a person. It is stored encrypted and never shown. Answers the secret without its value.',
  keywords: [
    'store a token for CI',
    'credential for CI',
    'password for a workflow',
    'API key for a deployment',
  ],
  route: settingRoutes('POST', 'secrets'),
  toolset: 'workflows',
  aliases: ['set_secret_variable'],
  access: writesSecrets,
  input: Type.Object({
    ...ownerInput,
    setting: SettingName,
    ...settingInputs,
    value: Type.Optional(
      Type.String({
        ...secretText,
        maxLength: MAX_VALUE_CHARS,
        description: 'Needed for a new secret; left out, it stays.',
      }),
    ),
  }),
  output: Secret,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, workspace, write }, input) =>
    write((tx) => secretRecord(hearth, changeSetting(tx, { repo, workspace }, 'secret', input))),
})
