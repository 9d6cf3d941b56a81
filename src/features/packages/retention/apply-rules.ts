/** The daily job that deletes what no retention rule keeps. */
import { job } from '#core/jobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { auditPackage, markVersionsExpired, updateTotals } from '../lifecycle.ts'
import { packageById } from '../store.ts'
import { findExpired } from './expired.ts'
import { findRule, listPackagesOfRule, listRules, removeFiles, type RuleScope } from './store.ts'

const PACKAGES_PER_PAGE = 100
const CHANGES_PER_WRITE = 100

/** One write. The rule is read again in it, because it may have changed. Returns what it deleted. */
const deleteSome = (hearth: Hearth, scope: RuleScope, package_id: string): Promise<number> =>
  writeAs(hearth, null, (tx) => {
    const rule = findRule(tx.db, scope)
    const row = packageById(tx.db, package_id)
    if (rule === null || row === null || row.deleted_at !== null) return 0
    const { versions, files } = findExpired(tx.db, row, rule, tx.now_ms)
    const batch = versions.slice(0, CHANGES_PER_WRITE)
    if (batch.length > 0) {
      markVersionsExpired(tx, row, batch)
      return batch.length
    }
    const paths = files.slice(0, CHANGES_PER_WRITE).map(({ path }) => path)
    if (paths.length === 0) return 0
    removeFiles(tx, row.id, paths)
    updateTotals(tx, row.id)
    auditPackage(tx, 'package.snapshots_removed', row, { files: paths })
    return paths.length
  })

export const applyRetention = job<null>({
  kind: 'apply_package_retention',
  every: '24h',
  run: async ({ hearth, signal }) => {
    for (const rule of listRules(hearth.db)) {
      for (let after = '', isLast = false; !isLast && !signal.aborted; ) {
        const rows = listPackagesOfRule(hearth.db, rule, after, PACKAGES_PER_PAGE)
        for (const { id } of rows)
          while (!signal.aborted && (await deleteSome(hearth, rule, id)) > 0);
        after = rows.at(-1)?.id ?? ''
        isLast = rows.length < PACKAGES_PER_PAGE
      }
    }
  },
})
