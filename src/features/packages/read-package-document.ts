import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { documentOf, type PackageDocument } from './documents.ts'
import { packageOf } from './find-version.ts'
import { requireFormat } from './formats/index.ts'
import { packageInputs } from './schema.ts'

export const readPackageDocument = operation({
  name: 'read_package_document',
  summary: 'Read a document that the format of a package makes of all its versions.',
  route: null,
  access: readsPackage(),
  input: Type.Object({
    ...packageInputs,
    kind: Type.String({ maxLength: 100, description: 'Which of the documents of the format.' }),
  }),
  output: Type.Unsafe<PackageDocument>(Type.Object({})),

  handler: ({ hearth, db, package: grant }, { kind }) =>
    documentOf(hearth, requireFormat(grant.type), packageOf(db, grant), grant.workspace, kind),
})
