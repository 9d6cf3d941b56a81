import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { packageOf } from './find-version.ts'
import { updateAfterTag } from './lifecycle.ts'
import { packageInputs } from './schema.ts'
import { findTag, removeTag } from './store-versions.ts'

export const removePackageTag = operation({
  name: 'remove_package_tag',
  summary: 'Remove a tag of a package, for the client of a registry. The version stays.',
  route: null,
  access: writesPackage('write'),
  input: Type.Object({ ...packageInputs, tag: Type.String({ minLength: 1, maxLength: 200 }) }),
  output: Nothing,

  handler: ({ package: grant, write }, { tag }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      if (!findTag(tx.db, row.id, tag)) throw notFound(`the tag ${tag}`)
      removeTag(tx, row.id, tag)
      updateAfterTag(tx, row)
      return null
    }),
})
