/** The daily job that deletes what no retention rule keeps. */
import { job } from '#core/jobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { auditPackage, markVersionsExpired, subtractTotals } from '../lifecycle.ts'
import { packageById } from '../store.ts'
import { findExpired, type Expired } from './expired.ts'
import { findRule, listPackagesOfRule, listRules, removeFiles, type RuleScope } from './store.ts'

const PACKAGES_PER_PAGE = 100
const CHANGES_PER_WRITE = 100

/** What a rule deletes of a package, as long as neither of them changes. */
type Plan = Expired & { readonly rule: string; readonly revision: number; readonly done: number }

/**
 * One write. Rule and package are read again in it. The versions are listed again only when one of
 * them changed since the last write, because the list has all versions of the package. Null when
 * nothing is left.
 */
const deleteSome = (
  hearth: Hearth,
  scope: RuleScope,
  package_id: string,
  plan: Plan | null,
): Promise<Plan | null> =>
  writeAs(hearth, null, (tx) => {
    const rule = findRule(tx.db, scope)
    const row = packageById(tx.db, package_id)
    if (rule === null || row === null || row.deleted_at !== null) return null
    const text = JSON.stringify(rule)
    const isCurrent = plan !== null && plan.rule === text && plan.revision === row.revision
    const expired = isCurrent ? plan : findExpired(tx.db, row, rule, tx.now_ms)
    const done = isCurrent ? plan.done : 0
    const { versions, files } = expired
    const batch = versions.slice(done, done + CHANGES_PER_WRITE)
    const start = Math.max(0, done - versions.length)
    const stored = files.slice(start, start + CHANGES_PER_WRITE)
    const paths = stored.map(({ path }) => path)
    if (batch.length > 0) markVersionsExpired(tx, row, batch)
    else if (paths.length > 0) {
      removeFiles(tx, row.id, paths)
      subtractTotals(tx, row.id, { versions: 0, stored })
      auditPackage(tx, 'package.snapshots_removed', row, { files: paths })
    } else return null
    const revision = packageById(tx.db, package_id)?.revision ?? row.revision
    return { versions, files, rule: text, revision, done: done + (batch.length || paths.length) }
  })

export const applyRetention = job<null>({
  kind: 'apply_package_retention',
  every: '24h',
  run: async ({ hearth, signal }) => {
    for (const rule of listRules(hearth.db)) {
      for (let after = '', isLast = false; !isLast && !signal.aborted; ) {
        const rows = listPackagesOfRule(hearth.db, rule, after, PACKAGES_PER_PAGE)
        for (const { id } of rows) {
          let plan = signal.aborted ? null : await deleteSome(hearth, rule, id, null)
          while (plan !== null && !signal.aborted) plan = await deleteSome(hearth, rule, id, plan)
        }
        after = rows.at(-1)?.id ?? ''
        isLast = rows.length < PACKAGES_PER_PAGE
      }
    }
  },
})
