import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Nullable, Type } from '#core/schema.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { auditPackage, updateAfterYank } from './lifecycle.ts'
import { packageInputs, VersionName } from './schema.ts'
import { setPackage } from './store.ts'
import { setVersion } from './store-versions.ts'

/** Yanking (cargo, gem, NuGet's unlisting) and deprecating (npm): nothing is destroyed. */
export const markPackageVersion = operation({
  name: 'mark_package_version',
  summary: 'Yank or deprecate a version of a package or undo it, for the client of a registry.',
  route: null,
  access: writesPackage('write'),
  input: Type.Object({
    ...packageInputs,
    version: VersionName,
    yanked: Type.Optional(Type.Boolean()),
    deprecated: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  }),
  output: Nothing,

  handler: ({ package: grant, write }, { version, yanked, deprecated }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const named = requireNamedVersion(tx.db, row, version)
      const isYanked = yanked === undefined ? named.yanked : yanked ? 1 : 0
      const text = deprecated === undefined ? named.deprecated : deprecated
      if (isYanked === named.yanked && text === named.deprecated) return null
      setVersion(tx, named.id, { yanked: isYanked, deprecated: text })
      // A client deprecates thousands of versions one by one, which changes no latest version.
      if (isYanked === named.yanked) setPackage(tx, row.id, {})
      else updateAfterYank(tx, row, { ...named, yanked: isYanked })
      auditPackage(tx, 'package.version_marked', row, {
        version: named.version,
        before: { yanked: named.yanked === 1, deprecated: named.deprecated },
        after: { yanked: isYanked === 1, deprecated: text },
      })
      return null
    }),
})
