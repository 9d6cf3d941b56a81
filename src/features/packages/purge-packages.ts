/** Purging: after their time, deleted packages and versions go, and their numbers stay refused. */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { auditPackage, updateTotals } from './lifecycle.ts'
import {
  listPackagesToPurge,
  packageById,
  rememberVersion,
  rememberVersionsOf,
  removePackage,
  type PackageRow,
} from './store.ts'
import { removeManifest, unlinkUnusedBlobs } from './images/store-images.ts'
import { removeDownloadDays } from './store-downloads.ts'
import { listVersionsToPurge, removeVersion } from './store-versions.ts'

const ROWS_PER_BATCH = 20
/** Days of downloads that pages show, with some to spare. */
const DOWNLOAD_DAYS = 400

/** Digests name the content of an image, so their numbers need no memory. */
const remembersNumbers = ({ type }: PackageRow): boolean => type !== 'container'

export function purgePackage(tx: Tx, row: PackageRow): void {
  if (remembersNumbers(row)) rememberVersionsOf(tx, row)
  removePackage(tx, row.id)
  auditPackage(tx, 'package.purged', row, { before: { deleted_at: row.deleted_at } })
}

export const purgePackages = job<null>({
  kind: 'purge_packages',
  every: '1h',
  run: async ({ hearth, signal }) => {
    while (!signal.aborted) {
      const purged = await writeAs(hearth, null, (tx) => {
        const packages = listPackagesToPurge(tx.db, tx.now, ROWS_PER_BATCH)
        for (const row of packages) purgePackage(tx, row)
        const versions = listVersionsToPurge(tx.db, tx.now, ROWS_PER_BATCH)
        for (const version of versions) {
          const row = packageById(tx.db, version.package_id)
          if (!row) continue
          removeVersion(tx, version.id)
          if (remembersNumbers(row)) rememberVersion(tx, row, version)
          else removeManifest(tx, row.id, version.normal_version)
          updateTotals(tx, row.id)
        }
        return packages.length + versions.length
      })
      if (purged === 0) break
    }
    // A push that is under way keeps its own layers.
    const before = timestamp(hearth.clock.now() - DAY)
    while ((await writeAs(hearth, null, (tx) => unlinkUnusedBlobs(tx, before, 500))) > 0)
      if (signal.aborted) return
    await writeAs(hearth, null, (tx) =>
      removeDownloadDays(tx, timestamp(tx.now_ms - DOWNLOAD_DAYS * DAY).slice(0, 10)),
    )
  },
})
