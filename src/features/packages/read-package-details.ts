import { readsPackage } from '#core/access.ts'
import { localBlob } from '#core/blobs.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { packageOf } from './find-version.ts'
import { packageInputs } from './schema.ts'
import { listDownloadDays } from './store-downloads.ts'

const SHOWN_DAYS = 30

/** What the page of a package shows beside its record. */
export const readPackageDetails = operation({
  name: 'read_package_details',
  summary: 'Read the README of a package and its downloads of the last 30 days, for its page.',
  route: null,
  access: readsPackage({ whileDeleted: true }),
  input: Type.Object(packageInputs),
  output: Type.Object({
    readme: Nullable(Type.String()),
    downloads: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() })),
  }),

  handler: async ({ hearth, db, package: grant, now_ms }) => {
    const row = packageOf(db, grant)
    const since = timestamp(now_ms - (SHOWN_DAYS - 1) * DAY).slice(0, 10)
    const path = row.readme_sha256 === null ? null : await localBlob(hearth, row.readme_sha256)
    return {
      readme: path === null ? null : await Bun.file(path).text(),
      downloads: listDownloadDays(db, row.id, since),
    }
  },
})
