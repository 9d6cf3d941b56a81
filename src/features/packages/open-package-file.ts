import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { downloadCounts } from './download-counts.ts'
import { packageOf } from './find-version.ts'
import { packageInputs } from './schema.ts'
import { findFile, versionById, type FileRow } from './store-versions.ts'

/** What a door needs to send a file. */
export const openPackageFile = operation({
  name: 'open_package_file',
  summary: 'Find a file of a package by its path, for the client of a registry.',
  route: null,
  access: readsPackage(),
  input: Type.Object({
    ...packageInputs,
    path: Type.String({ minLength: 1, maxLength: 1000 }),
    counts: Type.Optional(Type.Boolean({ description: 'Whether this is a download.' })),
  }),
  output: Type.Unsafe<FileRow>(Type.Object({})),

  handler: ({ hearth, db, package: grant }, { path, counts = false }) => {
    const row = packageOf(db, grant)
    const file = findFile(db, row.id, path)
    const version = file && versionById(db, file.version_id)
    if (!file || !version || version.deleted_at !== null)
      throw notFound(`the file ${path.slice(0, 200)} of ${row.name}`)
    if (counts) downloadCounts(hearth).add(row.id, version.id)
    return file
  },
})
