import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { dropRule } from './rules.ts'

export const removePackageRetention = operation({
  name: 'remove_package_retention',
  summary:
    'Remove the retention rule of a package, so that the one of its workspace holds (Admin of the package). The answer is empty.',
  keywords: ['stop deleting old versions'],
  route: 'DELETE /workspaces/{workspace}/packages/{package_type}/{package_name}/retention',
  toolset: 'packages',
  access: writesPackage('admin', { whileArchived: true }),
  input: Type.Object({ ...packageInputs }),
  output: Nothing,
  status: 204,
  annotations: { idempotent: true },

  handler: ({ package: grant, write }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const scope = { workspace_id: row.workspace_id, package_id: row.id }
      dropRule(tx, scope, `${row.type}:${row.name}`)
      return null
    }),
})
