import { readsPackage } from '#core/access.ts'
import { localBlob } from '#core/blobs.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { findDependents } from './dependents.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { ImageParts, imageParts } from './images/image-parts.ts'
import { packageInputs, VersionName } from './schema.ts'
import { listDownloadDays } from './store-downloads.ts'

const SHOWN_DAYS = 30

/** What the page of a package shows beside its record. */
export const readPackageDetails = operation({
  name: 'read_package_details',
  summary:
    'Read the README of a package, its downloads of the last 30 days, the packages beside it that depend on it, and the platforms and attachments of a version of an image, for its page.',
  route: null,
  access: readsPackage({ whileDeleted: true }),
  input: Type.Object({ ...packageInputs, version: Type.Optional(VersionName) }),
  output: Type.Object({
    readme: Nullable(Type.String()),
    downloads: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() })),
    dependents: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
    image: Nullable(ImageParts),
  }),

  handler: async ({ hearth, db, package: grant, caller, now_ms }, { workspace, version }) => {
    const row = packageOf(db, grant)
    const since = timestamp(now_ms - (SHOWN_DAYS - 1) * DAY).slice(0, 10)
    const named =
      row.type === 'container' && version !== undefined
        ? requireNamedVersion(db, row, version, { deleted: grant.can('admin') })
        : null
    const path = row.readme_sha256 === null ? null : await localBlob(hearth, row.readme_sha256)
    return {
      readme: path === null ? null : await Bun.file(path).text(),
      downloads: listDownloadDays(db, row.id, since),
      dependents: findDependents(hearth, row, workspace, caller),
      image: named && imageParts(db, row, named),
    }
  },
})
