import { readsPackageAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { previewRule } from './rules.ts'
import { RetentionPreview, ruleInputs } from './schema.ts'

export const previewPackageRetention = operation({
  name: 'preview_package_retention',
  summary:
    'List what a retention rule would delete of a package now, without deleting it (Admin of the package). Give a rule to try it; without one, the rule that holds is used.',
  keywords: ['dry run of retention', 'which versions would be deleted'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}/retention/preview',
  toolset: 'packages',
  access: readsPackageAs('admin'),
  input: Type.Object({ ...packageInputs, ...ruleInputs }),
  output: RetentionPreview,

  handler: (
    { hearth, db, package: grant },
    { workspace: _, package_type: _type, package_name: _name, ...rule },
  ) => {
    const row = packageOf(db, grant)
    return previewRule(hearth, { workspace_id: row.workspace_id, package_id: row.id }, rule)
  },
})
