/** Looks up what an input names, or refuses. */
import type { RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import { forbidden, invalid, notFound, Refusal } from '#lib/errors.ts'
import { isTypeId } from '#core/ids.ts'
import { findComment, type CommentRow } from './comments/store-comments.ts'
import { findIssue, type IssueRow } from './store-issues.ts'
import { findLabel, type LabelRow } from './labels/store-labels.ts'
import {
  findMilestone,
  findMilestoneByTitle,
  type CountedMilestoneRow,
} from './milestones/store-milestones.ts'
import { findRecord, type RecordRow } from './store-records.ts'

/** Throws 404; when the number is of a pull request, the message names the right operation. */
export function requireIssue(db: Db, repo_id: string, number: number): IssueRow {
  const issue = findIssue(db, repo_id, number)
  if (issue) return issue
  if (findRecord(db, repo_id, number))
    throw new Refusal('not_found', `#${number} is a pull request, not an issue: get_pull shows it`)
  throw notFound(`the issue #${number}`)
}

/** Finds an issue or a pull request; throws 404. */
export function requireRecord(db: Db, repo_id: string, number: number): RecordRow {
  const record = findRecord(db, repo_id, number)
  if (!record) throw notFound(`the issue or pull request #${number}`)
  return record
}

/** Throws 404, also for malformed ids and for comments of other repositories. */
export function requireComment(db: Db, repo_id: string, id: string): CommentRow {
  const comment = isTypeId(id, 'cmt') ? findComment(db, id) : null
  if (comment?.repo_id !== repo_id) throw notFound(`the comment ${id}`)
  return comment
}

export function requireLabel(db: Db, repo_id: string, name: string): LabelRow {
  const label = findLabel(db, repo_id, name)
  if (!label) throw notFound(`the label ${JSON.stringify(name)}`)
  return label
}

export function requireMilestone(db: Db, repo_id: string, id: string): CountedMilestoneRow {
  const milestone = isTypeId(id, 'mls') ? findMilestone(db, repo_id, id) : null
  if (!milestone) throw notFound(`the milestone ${id}`)
  return milestone
}

/** Finds a milestone by id or title; null when there is none. */
export const milestoneId = (db: Db, repo_id: string, given: string): string | null =>
  (isTypeId(given, 'mls')
    ? findMilestone(db, repo_id, given)?.id
    : findMilestoneByTitle(db, repo_id, given.trim())?.id) ?? null

/**
 * Throws 422 for the fork of a pull request: issues, labels and milestones belong to repositories.
 */
export function refuseFork(repo: RepoGrant): void {
  if (repo.parent_id !== null)
    throw invalid(
      'repo',
      `${repo.full_name} is the fork of a pull request; use the repository itself`,
    )
}

/**
 * Throws 403 `contributions_closed` when the repository's settings do not let the caller open
 * issues.
 */
export function requireContribution(hearth: Hearth, repo: RepoGrant, caller: Caller): void {
  const { issues_enabled, issues_from } = settingsOf(requireRepo(hearth.db, repo.id))
  if (!issues_enabled)
    throw forbidden('contributions_closed', `issues are switched off in ${repo.full_name}`)
  if (issues_from === 'anyone' || repo.can('write')) return
  const isMember =
    repo.workspace_role !== null || (caller.kind === 'workspace' && caller.id === repo.workspace_id)
  // The role of a grant includes what everybody may do on a public repository. A collaborator has a
  // role of their own.
  const isCollaborator =
    isMember || (hearth.facts.repo(repo.full_name, caller)?.role ?? null) !== null
  if (issues_from === 'members' ? isMember : issues_from === 'collaborators' && isCollaborator)
    return
  const who = issues_from === 'nobody' ? 'those with the role write' : issues_from
  throw forbidden('contributions_closed', `${repo.full_name} takes new issues from ${who} only`)
}
