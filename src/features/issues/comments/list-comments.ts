import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { parseTimestamp } from '#lib/time.ts'
import { commentsOf } from './comment-record.ts'
import { requireRecord } from '../require-records.ts'
import { Comment } from '../schema.ts'
import { commentPointers, inList } from '../untrusted-texts.ts'

export const listComments = operation({
  name: 'list_comments',
  summary:
    'List the comments on an issue or pull request of a repository that you can see, oldest first; with since, those made or changed from then on.',
  keywords: [
    'discussion',
    'conversation',
    'replies',
    'what was said',
    'read comments',
    'all comments of a ticket',
  ],
  route: 'GET /repos/{owner}/{name}/issues/{number}/comments',
  toolset: 'issues',
  listed: 'default',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    since: Type.Optional(
      Type.String({ maxLength: 50, description: 'A date-time as in RFC 3339.' }),
    ),
    ...byPage(),
  }),
  output: ListOf(Comment),
  untrusted: inList(commentPointers),
  list: 'page',

  handler: ({ hearth, db, repo }, { number, since, ...paging }) => {
    const record = requireRecord(db, repo.id, number)
    const window = windowOf(paging)
    const from = since === undefined ? undefined : parseTimestamp(since)
    if (from === null)
      throw invalid('since', 'since must be a date-time such as 2026-01-31T23:59:59Z')
    const comments = commentsOf(hearth, repo.id, number, {
      limit: window.limit + 1,
      offset: window.offset,
      since: from,
    })
    return pageOf(comments, window, from === undefined ? record.comments_count : undefined)
  },
})
