import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { manyLines } from '#features/issues/index.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { packageOf } from './find-version.ts'
import { auditPackage } from './lifecycle.ts'
import { packageRecord } from './package-record.ts'
import { Package, packageInputs } from './schema.ts'
import { requirePackage, setPackage, type PackageChange } from './store.ts'

const MAX_DESCRIPTION_LENGTH = 1000

export const updatePackage = operation({
  name: 'update_package',
  summary:
    'Change the description, the visibility or inherit_access of a package (Admin of the package). The visibility of a linked package is that of its repository and cannot be set.',
  keywords: ['make a package public', 'make a package private', 'describe a package'],
  route: 'PATCH /workspaces/{workspace}/packages/{package_type}/{package_name}',
  toolset: 'packages',
  access: writesPackage('admin', { whileArchived: true }),
  input: Type.Object({
    ...packageInputs,
    description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
    visibility: Type.Optional(
      OneOf(['public', 'private'] as const, { description: 'Who may see it.' }),
    ),
    inherit_access: Type.Optional(
      Type.Boolean({
        description: 'Whether people have the roles that they have in the linked repository.',
      }),
    ),
  }),
  output: Package,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, write }, { description, visibility, inherit_access }) => {
    if (description === undefined && visibility === undefined && inherit_access === undefined)
      throw new Refusal('invalid', 'give at least one of description, visibility, inherit_access')
    const text =
      description === undefined ? undefined : manyLines('description', description).trim()
    return write((tx) => {
      const row = packageOf(tx.db, grant)
      if (visibility !== undefined && row.repo_id !== null)
        throw conflict(
          'conflict',
          'the visibility of a linked package is that of its repository: change the repository, or unlink the package first',
        )
      const change: PackageChange = {
        ...(text !== undefined && { description: text === '' ? null : text }),
        ...(visibility !== undefined && { private: visibility === 'private' ? 1 : 0 }),
        ...(inherit_access !== undefined && { inherit_access: inherit_access ? 1 : 0 }),
      }
      const changed = Object.fromEntries(
        Object.entries(change).filter(([name, value]) => row[name as keyof typeof row] !== value),
      ) as PackageChange
      if (Object.keys(changed).length > 0) {
        setPackage(tx, row.id, changed)
        const before = Object.keys(changed).map((name) => [name, row[name as keyof typeof row]])
        auditPackage(tx, 'package.changed', row, {
          before: Object.fromEntries(before),
          after: changed,
        })
      }
      return packageRecord(hearth, requirePackage(tx.db, row.id), grant.role)
    })
  },
})
