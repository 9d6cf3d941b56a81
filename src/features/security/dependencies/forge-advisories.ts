/**
 * Advisories that repositories of this forge publish count for the packages of their workspace. Those
 * of private repositories do not: an alert elsewhere would tell of them.
 */
import type { Tx } from '#core/write.ts'
import { fullNameOf, type RepoRow } from '#features/repos/index.ts'
import { readAffectedRanges } from '#lib/advisories/affected-ranges.ts'
import { comparedName, ecosystemOf, type AffectedPackage } from '#lib/advisories/osv.ts'
import { contentOf } from '../reports/advisory-record.ts'
import type { Advisory } from '../reports/schema.ts'
import type { AdvisoryRow } from '../reports/store-advisories.ts'
import { scanAllDependencies } from './scan-dependencies.ts'
import { putForgeAdvisory } from './store-advisories.ts'

const affectedBy = (one: Advisory['packages'][number]): AffectedPackage[] => {
  const ecosystem = ecosystemOf(one.type)
  const affected = readAffectedRanges(one.vulnerable, one.patched)
  return ecosystem === null || affected === null
    ? []
    : [{ ecosystem, name: comparedName(ecosystem, one.name), ...affected }]
}

/** Makes a published or withdrawn advisory count, and compares the repositories of its workspace with it. */
export function followForgeAdvisory(tx: Tx, repo: RepoRow, row: AdvisoryRow): void {
  if (repo.private === 1 || row.state === 'draft') return
  const { packages, title, severity, cve } = contentOf(row)
  putForgeAdvisory(tx, {
    id: row.id,
    modified: tx.now,
    withdrawn: row.state === 'withdrawn' ? tx.now : null,
    summary: title,
    severity,
    aliases: cve === null ? [] : [cve],
    url: `${tx.hearth.settings.site_url}/${fullNameOf(tx.db, repo)}/security/advisories/${row.id}`,
    affected: packages.flatMap(affectedBy),
  })
  const { workspace_id } = repo
  tx.enqueue(scanAllDependencies, { workspace_id }, { key: workspace_id })
}
