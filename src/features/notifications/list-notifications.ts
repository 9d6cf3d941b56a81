import { signedIn } from '#core/access.ts'
import { readScope } from '#core/read-scope.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import {
  preloadRepos,
  filterVisibleRepos,
  repoById,
  repoByPath,
  visibleReposOf,
} from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { notificationRecords } from './notification-record.ts'
import { Notifications, ReasonWord } from './schema.ts'
import { canRead } from './delivery/visibility.ts'
import {
  findNotification,
  listNotificationRows,
  type NotificationRow,
  type NotificationCursor,
} from './store.ts'

export const listNotifications = operation({
  name: 'list_notifications',
  summary:
    'List your notifications, newest first, one for each subject: mentions, assignments, requested reviews, waiting agents. Done ones are left out unless done is given. Agents and workspaces have none.',
  keywords: [
    'where I was mentioned',
    'who pinged me',
    'my notifications',
    'inbox',
    'what needs my attention',
    'mentions',
    'unread',
    "what's new",
    'who mentioned me',
  ],
  route: 'GET /notifications',
  toolset: 'issues',
  listed: 'default',
  access: signedIn({ scope: 'user:read' }),
  input: Type.Object({
    unread: Type.Optional(Type.Boolean({ description: 'Only unread ones, or only read ones.' })),
    done: Type.Optional(Type.Boolean({ description: 'True for those that were put away.' })),
    reason: Type.Optional(ReasonWord),
    repo: Type.Optional(RepoPath),
    ...byBefore(),
  }),
  output: Notifications,
  list: 'before',

  handler: ({ hearth, db, caller }, { unread, done = false, reason, repo, ...paging }) => {
    const { before, limit } = beforeOf(paging, 'ntf')
    if (caller.kind !== 'user') return { items: [], next: null }
    const repo_id = repo === undefined ? undefined : repoByPath(db, repo)?.id
    if (repo !== undefined && (repo_id === undefined || !canRead(hearth, repo_id, caller.id)))
      throw notFound(`the repository ${repo}`)
    const start = before === null ? null : findNotification(db, before)
    if (before !== null && start?.user_id !== caller.id)
      throw notFound(`the notification ${before}`)

    const { token } = caller
    const visible = visibleReposOf(db, { ...caller, token: null })
    const openOf = (found: readonly NotificationRow[]): NotificationRow[] =>
      readScope(db, () => {
        const ids = [...new Set(found.flatMap(({ repo_id: id }) => id ?? []))]
        const seen = new Set(filterVisibleRepos(db, visible, ids))
        if (token?.workspace != null) preloadRepos(db, ids)
        const inside = (id: string): boolean =>
          (token?.repos == null || token.repos.includes(id)) &&
          (token?.workspace == null || repoById(db, id)?.workspace_id === token.workspace)
        return found.filter(({ repo_id: id }) => id === null || (seen.has(id) && inside(id)))
      })
    const rows: NotificationRow[] = []
    let after: NotificationCursor | null = start
    // Notifications that the person cannot see any more are skipped, so one page may take several
    // queries.
    for (;;) {
      const found = listNotificationRows(
        db,
        { user_id: caller.id, unread, done, reason, repo_id },
        after,
        limit + 1,
      )
      rows.push(...openOf(found))
      const last = found.at(-1)
      if (rows.length > limit || found.length <= limit || !last) break
      after = last
    }
    return keyPageOf(notificationRecords(hearth, rows), limit, ({ id }) => id)
  },
})
