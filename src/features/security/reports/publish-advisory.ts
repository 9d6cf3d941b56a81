/** What follows when an advisory changes its state, for every operation that does so. */
import type { Tx } from '#core/write.ts'
import { auditRepo, type RepoRow } from '#features/repos/index.ts'
import { followForgeAdvisory } from '../dependencies/forge-advisories.ts'
import { advisoryPublished } from '../events.ts'
import { closeFork } from '../forks/remove-forks.ts'
import { contentOf } from './advisory-record.ts'
import type { AdvisoryState } from './schema.ts'
import { findAdvisory, setAdvisory, type AdvisoryRow } from './store-advisories.ts'

export const auditState = (tx: Tx, repo: RepoRow, before: AdvisoryRow, next: AdvisoryState): void =>
  auditRepo(tx, 'security.advisory_changed', repo, {
    before: { advisory: before.id, state: before.state },
    after: { advisory: before.id, state: next },
  })

/**
 * Tells of an advisory that was just changed, and closes its private fork when it is no draft any
 * more. Returns the present row.
 */
export function announceAdvisory(tx: Tx, repo: RepoRow, before: AdvisoryRow): AdvisoryRow {
  const changed = findAdvisory(tx.db, before.id)
  if (!changed) throw new TypeError('the advisory that was just changed is gone')
  if (before.state === 'draft' && changed.state === 'published')
    tx.append(
      advisoryPublished,
      { workspace_id: repo.workspace_id, repo_id: repo.id },
      { advisory: changed.id, title: changed.title, severity: changed.severity },
    )
  if (changed.state !== 'draft') closeFork(tx, changed.id)
  followForgeAdvisory(tx, repo, changed)
  return changed
}

/** Publishes a draft as it is. */
export function publishAdvisory(tx: Tx, repo: RepoRow, row: AdvisoryRow): void {
  setAdvisory(tx, row.id, { ...contentOf(row), state: 'published' })
  auditState(tx, repo, row, 'published')
  announceAdvisory(tx, repo, row)
}
