import { readsPackageAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { retentionRecord } from './rules.ts'
import { Retention } from './schema.ts'

export const getPackageRetention = operation({
  name: 'get_package_retention',
  summary:
    'Read the retention rule of a package (Admin of the package), and the one of its workspace, which holds while the package has none.',
  keywords: ['cleanup policy of a package', 'which versions are deleted'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}/retention',
  toolset: 'packages',
  access: readsPackageAs('admin'),
  input: Type.Object({ ...packageInputs }),
  output: Retention,

  handler: ({ db, package: grant }) => {
    const row = packageOf(db, grant)
    return retentionRecord(db, { workspace_id: row.workspace_id, package_id: row.id })
  },
})
