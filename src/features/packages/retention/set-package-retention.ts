import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { saveRule } from './rules.ts'
import { Retention, ruleInputs } from './schema.ts'

export const setPackageRetention = operation({
  name: 'set_package_retention',
  summary:
    'Set the retention rule of a package (Admin of the package). A daily job deletes the versions that nothing in the rule keeps; they can be restored for 30 days. Preview it first.',
  keywords: ['delete old versions', 'clean up old images', 'keep the newest versions'],
  route: 'PUT /workspaces/{workspace}/packages/{package_type}/{package_name}/retention',
  toolset: 'packages',
  access: writesPackage('admin', { whileArchived: true }),
  input: Type.Object({ ...packageInputs, ...ruleInputs }),
  output: Retention,
  annotations: { idempotent: true },

  handler: (
    { package: grant, caller, write },
    { workspace: _, package_type: _type, package_name: _name, ...rule },
  ) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const scope = { workspace_id: row.workspace_id, package_id: row.id }
      return saveRule(tx, scope, { name: `${row.type}:${row.name}`, by: caller.id }, rule)
    }),
})
