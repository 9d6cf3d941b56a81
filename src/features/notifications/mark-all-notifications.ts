import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { repoByPath } from '#features/repos/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { parseTimestamp } from '#lib/time.ts'
import { canRead } from './delivery/visibility.ts'
import { setAllNotifications } from './store.ts'

export const markAllNotifications = operation({
  name: 'mark_all_notifications',
  summary:
    'Mark all of your notifications read or done, or only those of one repository, or those with nothing new since a moment (before). Answers how many changed.',
  keywords: [
    'mark all as read',
    'mark everything as read',
    'clear notifications',
    'clear the inbox',
  ],
  route: 'PUT /notifications',
  toolset: 'issues',
  access: signedIn({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  annotations: { idempotent: true },
  input: Type.Object({
    state: OneOf(['read', 'done']),
    before: Type.Optional(
      Type.String({ maxLength: 40, description: 'RFC 3339. What came later stays as it is.' }),
    ),
    repo: Type.Optional(RepoPath),
  }),
  output: Type.Object({ changed: Type.Integer() }),

  handler: ({ hearth, caller, write }, { state, repo, ...input }) => {
    const before = input.before === undefined ? null : parseTimestamp(input.before)
    if (input.before !== undefined && before === null)
      throw invalid('before', 'before must be an RFC 3339 time, such as 2026-01-31T23:59:59Z')
    if (caller.kind !== 'user') return { changed: 0 }
    return write((tx) => {
      const repo_id = repo === undefined ? null : (repoByPath(tx.db, repo)?.id ?? null)
      if (repo !== undefined && (repo_id === null || !canRead(hearth, repo_id, caller.id)))
        throw notFound(`the repository ${repo}`)
      return { changed: setAllNotifications(tx, caller.id, state, { before, repo_id }) }
    })
  },
})
