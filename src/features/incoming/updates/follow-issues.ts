/** Remembers what a service has to be told about its issues, in the transaction of the change. */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { findIntegration } from '#features/integrations/index.ts'
import {
  commentCreated,
  findComment,
  issueClosed,
  issueReopened,
  untrustedAuthors,
} from '#features/issues/index.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName, repoById } from '#features/repos/index.ts'
import { findHook, findSubjectOfIssue, type HookRow, type SubjectRow } from '../store.ts'
import { startUpdating } from './send-updates.ts'
import { countWaiting, insertUpdate, isStatusWaiting } from './store-updates.ts'

/** What waits for one service. A service that is down for long misses later comments. */
export const MAX_WAITING = 1000

type Followed = { readonly hook: HookRow; readonly subject: SubjectRow }

/** What an issue stands for, unless the service itself made this change. */
function followedOf(
  tx: Tx,
  repo_id: string | null,
  number: number,
  actor_id: string | null,
): Followed | null {
  const subject = repo_id === null ? null : findSubjectOfIssue(tx.db, repo_id, number)
  // The issue that collects what is too much stands for nothing.
  if (subject === null || subject.fingerprint === '') return null
  const hook = findHook(tx.db, subject.integration_id)
  if (hook === null || hook.repo_id !== repo_id || hook.actor_id === actor_id) return null
  return findIntegration(tx.db, hook.integration_id)?.enabled === 1 ? { hook, subject } : null
}

function remember(
  tx: Tx,
  { hook: { integration_id }, subject: { fingerprint, number } }: Followed,
  comment_id: string | null,
): void {
  const kind = comment_id === null ? 'status' : 'comment'
  if (kind === 'status' && isStatusWaiting(tx.db, integration_id, fingerprint)) return
  if (countWaiting(tx.db, integration_id) >= MAX_WAITING) return
  insertUpdate(tx, { integration_id, fingerprint, number, kind, comment_id })
  startUpdating(tx, integration_id)
}

const followStatus = (
  tx: Tx,
  event: {
    readonly repo_id: string | null
    readonly actor_id: string | null
    readonly data: { readonly number: number }
  },
): void => {
  const followed = followedOf(tx, event.repo_id, event.data.number, event.actor_id)
  if (followed?.hook.sync_status === 1) remember(tx, followed, null)
}

export const tellClosed = reaction('tell_trackers_of_closed_issues', issueClosed, followStatus)
export const tellReopened = reaction(
  'tell_trackers_of_reopened_issues',
  issueReopened,
  followStatus,
)

/**
 * Comments leave this server, so only people with Write send them. An agent could be made to send
 * what it read.
 */
function mayTell(tx: Tx, repo_id: string, author_id: string): boolean {
  const repo = repoById(tx.db, repo_id)
  const author = actorOf(tx.hearth, author_id)
  if (repo === null || author.kind !== 'user') return false
  const full_name = fullName(tx.db, repo_id)
  const place = { full_name, workspace_id: repo.workspace_id }
  return !untrustedAuthors({ hearth: tx.hearth, repo: place })(author)
}

export const tellComments = reaction(
  'tell_trackers_of_comments',
  commentCreated,
  (tx, { repo_id, actor_id, data: { number, comment: id } }) => {
    const followed = id === null ? null : followedOf(tx, repo_id, number, actor_id)
    if (id === null || repo_id === null || followed?.hook.sync_comments !== 1) return
    const comment = findComment(tx.db, id)
    if (comment && mayTell(tx, repo_id, comment.author_id)) remember(tx, followed, id)
  },
)
