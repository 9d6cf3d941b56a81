/** Notifications as records. */
import type { Hearth } from '#core/hearth.ts'
import { findEvents } from '#core/events.ts'
import { readScope } from '#core/read-scope.ts'
import { eventRecords, fullName, preloadRepos, repoById } from '#features/repos/index.ts'
import { preloadWorkspaces } from '#features/workspaces/index.ts'
import { findRecord, preloadRecords } from '#features/issues/index.ts'
import { pullSummaries, type PullSummary } from '#features/pulls/index.ts'
import { failureText } from './delivery/run-failures.ts'
import { excerptsOf } from './excerpts.ts'
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
      rows.flatMap(({ repo_id, number }) =>
        repo_id === null || number === null ? [] : [{ repo_id, number }],
      ),
    )
    const { happened, pulls } = loadAround(hearth, rows)
    return rows.map((row) =>
      recordOf(hearth, row, {
        happened: (row.last_event && happened.get(row.last_event)) || null,
        pull: pulls.get(`${row.repo_id} ${row.number}`) ?? null,
      }),
    )
  })

type Around = {
  readonly happened: Notification['happened']
  readonly pull: PullSummary | null
}

/** What happened last, and the states of pull requests, for all rows together. */
function loadAround(hearth: Hearth, rows: readonly NotificationRow[]) {
  const events = findEvents(
    hearth.db,
    rows.flatMap(({ last_event }) => last_event ?? []),
  )
  const excerpts = excerptsOf(hearth.db, events)
  const failures = new Map(events.map((event) => [event.id, failureText(hearth, event)]))
  const places = rows.flatMap(({ repo_id, number, kind }) =>
    repo_id === null || number === null || kind !== 'pull' ? [] : [{ repo_id, number }],
  )
  return {
    happened: new Map(
      eventRecords(hearth, events).map(({ id, actor, summary }) => [
        id,
        { actor, summary, excerpt: excerpts.get(id) ?? failures.get(id) ?? null },
      ]),
    ),
    pulls: places.length === 0 ? new Map<string, PullSummary>() : pullSummaries(hearth, places),
  }
}

export function notificationRecord(hearth: Hearth, row: NotificationRow): Notification {
  const [record] = notificationRecords(hearth, [row])
  if (!record) throw new TypeError('one row has one record')
  return record
}

const issueState = (record: { readonly open: 0 | 1 } | null): string | null =>
  record && (record.open === 1 ? 'open' : 'closed')

function recordOf(hearth: Hearth, row: NotificationRow, { happened, pull }: Around): Notification {
  const repo = row.repo_id === null ? null : fullName(hearth.db, row.repo_id)
  const record =
    row.repo_id === null || row.number === null
      ? null
      : findRecord(hearth.db, row.repo_id, row.number)
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
      title: row.title ?? record?.title ?? '',
      url: `${hearth.settings.site_url}${urlOf(hearth, row)}`,
      state: pull?.status ?? (row.kind === 'issue' ? issueState(record) : null),
      review: pull === null || pull.review === 'none' ? null : pull.review,
      checks: pull === null || pull.checks === 'none' ? null : pull.checks,
    },
    repo,
    happened,
    last_event: row.last_event,
    updated_at: row.updated_at,
    created_at: row.created_at,
  }
}
