/** Notifications as records. */
import type { Hearth } from '#core/hearth.ts'
import { fullName } from '#features/repos/index.ts'
import { findRecord } from '#features/issues/index.ts'
import type { Notification } from './schema.ts'
import type { NotificationRow, SubjectOf } from './store.ts'

/** The page of a subject, from the root of the site. */
export function urlOf(hearth: Hearth, { repo_id, number, kind, url }: SubjectOf): string {
  if (url !== null) return url
  const home = repo_id === null ? '' : `/${fullName(hearth.db, repo_id)}`
  if (number === null) return home === '' ? '/notifications' : home
  return kind === 'issue' ? `${home}/issues/${number}` : `${home}/pull/${number}${kind === 'question' ? '/session' : ''}`
}

export function notificationRecord(hearth: Hearth, row: NotificationRow): Notification {
  const repo = row.repo_id === null ? null : fullName(hearth.db, row.repo_id)
  const title = row.title ?? (row.repo_id === null || row.number === null ? null : findRecord(hearth.db, row.repo_id, row.number)?.title)
  return {
    id: row.id,
    reason: row.reason,
    unread: row.unread === 1,
    done: row.done === 1,
    subject: { kind: row.kind, repo, number: row.number, id: row.subject_id, title: title ?? '', url: `${hearth.settings.site_url}${urlOf(hearth, row)}` },
    repo,
    last_event: row.last_event,
    updated_at: row.updated_at,
    created_at: row.created_at,
  }
}
