/** Reports as clients see them, and who reviews them. */
import type { RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import type { VulnerabilityReport } from './schema.ts'
import { findReport, type ReportRow } from './store-reports.ts'

type Repo = Pick<RepoGrant, 'id' | 'full_name' | 'can' | 'isSecurityManager'>

/** Whether the caller reads all reports: people with Write and security managers. */
export const seesReports = (repo: Repo): boolean => repo.can('write') || repo.isSecurityManager()

/** Whether the caller sees drafts of advisories and writes them. */
export const managesAdvisories = (repo: Repo): boolean =>
  repo.can('admin') || repo.isSecurityManager()

/** Whether the caller sees this draft: who manages advisories, and who is invited to work on it. */
export const seesDraft = (
  repo: Pick<RepoGrant, 'can' | 'isSecurityManager' | 'worksOnAdvisory'>,
  id: string,
): boolean => repo.can('admin') || repo.isSecurityManager() || repo.worksOnAdvisory(id)

/**
 * The report for somebody who may read it. Throws 404 for others, as for one of another repository.
 */
export function requireReport(db: Db, repo: Repo, caller: Caller, id: string): ReportRow {
  const row = findReport(db, id)
  const isReporter = caller.kind !== 'anonymous' && row !== null && row.reporter_id === caller.id
  if (row?.repo_id !== repo.id || !(isReporter || seesReports(repo)))
    throw notFound(`the report ${id}`)
  return row
}

/** Reporters see neither addresses nor the notes of reviewers. */
export function reportRecord(
  hearth: Hearth,
  repo: Repo,
  row: ReportRow,
  isReviewer = seesReports(repo),
): VulnerabilityReport {
  return {
    id: row.id,
    repo_id: row.repo_id,
    repo: repo.full_name,
    reporter: actorOf(hearth, row.reporter_id),
    reporter_email: isReviewer ? row.email : null,
    title: row.title,
    description: row.description,
    severity: row.severity,
    state: row.state,
    advisory_id: isReviewer ? row.advisory_id : null,
    created_at: row.created_at,
    reviewed_by: isReviewer ? actorOf(hearth, row.reviewed_by) : null,
    reviewed_at: row.reviewed_at,
    review_note: isReviewer ? row.review_note : null,
  }
}

/** Where a reporter without an account follows a report. */
export const followUrl = (hearth: Hearth, repo: string, secret: string): string =>
  `${hearth.settings.site_url}/${repo}/security/reports/follow/${secret}`
