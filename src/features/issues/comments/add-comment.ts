import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { forbidden, invalid, notFound } from '#lib/errors.ts'
import { commentRecord } from './comment-record.ts'
import { commentCreated } from '../events.ts'
import { requireComment, requireRecord } from '../require-records.ts'
import { CommentBodyInput } from '../inputs.ts'
import { checkLine } from './line-check.ts'
import { Comment } from '../schema.ts'
import { refuseSecrets } from '../secrets.ts'
import { insertComment, type CommentRow } from './store-comments.ts'
import type { RecordRow } from '../store-records.ts'
import { notBlank } from '../text.ts'
import { commentPointers, inRecord } from '../untrusted-texts.ts'

const Line = Type.Integer({ minimum: 1, maximum: 2147483647 })

type LineInput = {
  path?: string
  line?: number
  start_line?: number
  side?: 'new' | 'old'
  in_reply_to?: string
}
type CommentLine = { path: string; line: number; start_line: number | null; side: 'new' | 'old' }

/**
 * The line of a line comment; null for a comment on the whole. Throws 422 for inputs that do not
 * fit together.
 */
function readLine(
  record: RecordRow,
  { path, line, start_line, side, in_reply_to }: LineInput,
): CommentLine | null {
  const given = Object.entries({ path, line, start_line, side }).find(
    ([, value]) => value !== undefined,
  )
  if (!given) return null
  const [field] = given
  if (record.kind === 'issue')
    throw invalid(
      field,
      `#${record.number} is an issue; ${field} is for comments on the change of a pull request`,
    )
  if (in_reply_to !== undefined)
    throw invalid(field, `an answer stands where its thread stands; leave ${field} out`)
  if (path === undefined) throw invalid('path', `path is required with ${field}`)
  if (line === undefined) throw invalid('line', 'line is required with path')
  if (path === '' || path.includes('\0'))
    throw invalid('path', 'path must be the path of a file in the change')
  if (start_line !== undefined && start_line > line)
    throw invalid('start_line', 'start_line may not be greater than line')
  return { path, line, start_line: start_line ?? null, side: side ?? 'new' }
}

export const addComment = operation({
  name: 'add_comment',
  summary:
    "Comment on an issue or pull request; with path and line, on a line of a pull request's change; with in_reply_to, in a thread. Anyone who can see it may; on a locked one, Write. The answer is the comment.",
  keywords: [
    'reply to a discussion',
    'comment',
    'reply',
    'answer in a thread',
    'say something',
    'write a note',
    'comment on a line',
    'inline comment',
    'respond',
    'leave feedback',
  ],
  route: 'POST /v1/repos/{owner}/{name}/issues/{number}/comments',
  aliases: ['add_issue_comment', 'create_comment'],
  toolset: 'issues',
  listed: 'core',
  access: writesRepo('read', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    body: CommentBodyInput,
    path: Type.Optional(Type.String({ maxLength: 4096, description: 'A file in the change.' })),
    line: Type.Optional(Line),
    start_line: Type.Optional(Line),
    side: Type.Optional(
      OneOf(['new', 'old'], {
        description: 'Which of the two files line counts in; new unless given.',
      }),
    ),
    in_reply_to: Type.Optional(
      Type.String({ maxLength: 100, description: 'A comment of the thread to answer in.' }),
    ),
  }),
  output: Comment,
  untrusted: inRecord(commentPointers),

  handler: async ({ hearth, db, repo, caller, write }, { number, in_reply_to, ...input }) => {
    const record = requireRecord(db, repo.id, number)
    const body = notBlank('body', input.body)
    refuseSecrets(db, repo.id, 'body', body)
    const place = readLine(record, { ...input, in_reply_to })
    const refuseLocked = (row: RecordRow) => {
      if (row.locked === 1 && !repo.can('write'))
        throw forbidden(
          'locked',
          `#${number} is locked; only those with the role write may comment`,
        )
    }
    refuseLocked(record)
    const commit =
      place && (await checkLine(hearth, caller, { repo: repo.full_name, number, ...place })).commit

    return write((tx) => {
      refuseLocked(requireRecord(tx.db, repo.id, number))
      const thread =
        in_reply_to === undefined ? null : threadOf(requireComment(tx.db, repo.id, in_reply_to))
      const at = thread ?? { ...place, commit_sha: commit }
      const id = insertComment(tx, {
        repo_id: repo.id,
        number,
        author_id: caller.id,
        body,
        path: at.path,
        line: at.line,
        start_line: at.start_line,
        side: at.side,
        commit_sha: at.commit_sha,
        in_reply_to: thread?.id,
      })
      tx.append(
        commentCreated,
        { workspace_id: repo.workspace_id, repo_id: repo.id },
        {
          number,
          comment: id,
          review: null,
          verdict: null,
          path: at.path ?? null,
          line: at.line ?? null,
        },
      )
      return commentRecord(hearth, requireComment(tx.db, repo.id, id))

      function threadOf(comment: CommentRow): CommentRow {
        if (comment.number !== number) throw notFound(`the comment ${comment.id} on #${number}`)
        return comment.in_reply_to === null
          ? comment
          : requireComment(tx.db, repo.id, comment.in_reply_to)
      }
    })
  },
})
