/** Notifications as records. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { fullName, preloadRepos, repoById } from '#features/repos/index.ts'
import { preloadWorkspaces } from '#features/workspaces/index.ts'
import { findRecord, preloadRecords } from '#features/issues/index.ts'
import type { Notification } from './schema.ts'
import type { NotificationRow, SubjectOf } from './store.ts'

/** The path of the page of a subject. */
export function urlOf(hearth: Hearth, { repo_id, number, kind, url }: SubjectOf): string {
  if (url !== null) return url
  const home = repo_id === null ? '' : `/${fullName(hearth.db, repo_id)}`
  if (number === null) return home === '' ? '/notifications' : home
  return kind === 'issue'
    ? `${home}/issues/${number}`
    : `${home}/pull/${number}${kind === 'question' ? '/session' : ''}`
}

/** The records of a page of notifications. */
export const notificationRecords = (
  hearth: Hearth,
  rows: readonly NotificationRow[],
): Notification[] =>
  readScope(hearth.db, () => {
    const { db } = hearth
    const repo_ids = [...new Set(rows.flatMap(({ repo_id }) => repo_id ?? []))]
    preloadRepos(db, repo_ids)
    preloadWorkspaces(db, [
      ...new Set(repo_ids.flatMap((id) => repoById(db, id)?.workspace_id ?? [])),
    ])
    preloadRecords(
      db,
      rows.flatMap(({ repo_id, number, title }) =>
        repo_id === null || number === null || title !== null ? [] : [{ repo_id, number }],
      ),
    )
    return rows.map((row) => notificationRecord(hearth, row))
  })

export function notificationRecord(hearth: Hearth, row: NotificationRow): Notification {
  const repo = row.repo_id === null ? null : fullName(hearth.db, row.repo_id)
  const title =
    row.title ??
    (row.repo_id === null || row.number === null
      ? null
      : findRecord(hearth.db, row.repo_id, row.number)?.title)
  return {
    id: row.id,
    reason: row.reason,
    unread: row.unread === 1,
    done: row.done === 1,
    subject: {
      kind: row.kind,
      repo,
      number: row.number,
      id: row.subject_id,
      title: title ?? '',
      url: `${hearth.settings.site_url}${urlOf(hearth, row)}`,
    },
    repo,
    last_event: row.last_event,
    updated_at: row.updated_at,
    created_at: row.created_at,
  }
}
