import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { updateAfterTag } from './lifecycle.ts'
import { announcePublished } from './publish-package-version.ts'
import { packageInputs, VersionName } from './schema.ts'
import { findTag, setTag } from './store-versions.ts'

export const setPackageTag = operation({
  name: 'set_package_tag',
  summary: 'Let a tag of a package name a version, for the client of a registry.',
  route: null,
  access: writesPackage('write'),
  input: Type.Object({
    ...packageInputs,
    tag: Type.String({ minLength: 1, maxLength: 200 }),
    version: VersionName,
  }),
  output: Nothing,

  handler: ({ package: grant, write }, { tag, version }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const named = requireNamedVersion(tx.db, row, version)
      if (findTag(tx.db, row.id, tag)?.version_id === named.id) return null
      setTag(tx, row.id, tag, named.id)
      updateAfterTag(tx, row)
      announcePublished(tx, row, named, [tag], { isNew: false })
      return null
    }),
})
