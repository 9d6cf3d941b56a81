// Threads on lines of a change, on the changes page and in the conversation.
import type { Comment as CommentRecord } from '#features/issues/index.ts'
import type { Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  DiffExcerpt,
  firstItems,
  Form,
  FormActions,
  TextArea,
} from '../../components/index.ts'
import type { DiffLine } from '../../diff/rows.ts'
import type { Child } from '../../jsx/html.ts'
import { excerptBytes } from '../../markdown/excerpt.ts'
import { localPath, pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { CommentItem } from '../issues/conversation.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { rich, t, tn } from '../../text.ts'

/** One thread with its current line. `line` is null when the change no longer has it. */
export type ReviewThread = {
  path: string
  side: string
  line: number | null
  resolved: boolean
  hunk: readonly DiffLine[]
  comments: readonly CommentRecord[]
}

/** The commented lines before and after a suggestion. Null when they are not all known. */
export function suggestionDiff(
  { path, hunk }: Pick<ReviewThread, 'path' | 'hunk'>,
  { side, line, start_line }: Pick<CommentRecord, 'side' | 'line' | 'start_line'>,
  suggested: readonly string[],
): Child {
  if (side === 'old' || line === null) return null
  const first = start_line ?? line
  const before = hunk.filter((one) => one.new != null && one.new >= first && one.new <= line)
  if (before.length !== line - first + 1) return null
  const lines: DiffLine[] = [
    ...before.map((one) => ({ kind: 'del' as const, old: one.new, new: null, text: one.text })),
    ...suggested.map((text, at) => ({ kind: 'add' as const, old: null, new: first + at, text })),
  ]
  return (
    <div class="suggestion">
      <p class="small muted">{t('Suggested change')}</p>
      <DiffExcerpt path={path} lines={lines} />
    </div>
  )
}

/** What a visitor may do with the conversations of a pull request. */
export type ThreadRights = { reply: boolean; resolve: boolean; apply: boolean; change: boolean }

export function threadRights(
  visit: Visit,
  repo: Repo,
  pull: Pick<Pull, 'author' | 'status' | 'fork'>,
  locked = false,
): ThreadRights {
  const { viewer } = visit
  const { write, maintain } = repo.permissions
  const isAuthor =
    viewer !== null && [pull.author.id, pull.author.on_behalf_of?.id].includes(viewer.id)
  const active = pull.status === 'open' || pull.status === 'draft'
  const signedIn = viewer !== null && !repo.archived
  return {
    reply: signedIn && (!locked || write),
    resolve: signedIn && (isAuthor || write),
    apply: signedIn && active && (pull.fork === null ? write : isAuthor),
    change: maintain && !repo.archived,
  }
}

/** The id of the form that applies several suggestions; their checkboxes refer to it. */
export const BATCH = 'apply-suggestions'

const Suggested = ({
  root,
  visit,
  here,
  back,
}: {
  root: CommentRecord
  visit: Visit
  here: string
  back: string
}) => {
  const { suggestion } = root
  if (suggestion === null) return null
  if (suggestion.applied_in !== null)
    return (
      <span class="muted">
        {rich('Applied in {applied_in}', {
          applied_in: <code>{suggestion.applied_in.slice(0, 7)}</code>,
        })}
      </span>
    )
  if (root.outdated || root.side === 'old') return null
  return (
    <>
      <ActionButton
        action={`${here}/suggestions`}
        csrf={visit.csrf}
        values={{ comments: root.id, back }}
      >
        <Button small icon="check">
          {t('Commit suggestion')}
        </Button>
      </ActionButton>
      {back !== '' && (
        <span class="tick">
          <input
            type="checkbox"
            id={`batch-${root.id}`}
            name="comments"
            value={root.id}
            form={BATCH}
          />
          <label for={`batch-${root.id}`}>{t('Add to batch')}</label>
        </span>
      )}
    </>
  )
}

const Reply = ({
  root,
  visit,
  repo,
  here,
  back,
}: {
  root: CommentRecord
  visit: Visit
  repo: string
  here: string
  back: string
}) => {
  const at = visitForForm(visit, `${here}/threads/reply`)
  const refused = at.form.values.text('in_reply_to') === root.id
  return (
    <details class="more" open={refused}>
      <summary>{t('Reply')}</summary>
      <Form
        action={`${here}/threads/reply`}
        csrf={visit.csrf}
        error={refused ? formError(at, 'body') : null}
      >
        <input type="hidden" name="in_reply_to" value={root.id} />
        <input type="hidden" name="back" value={back} />
        <TextArea
          id={`reply-${root.id}`}
          name="body"
          label={t('Reply')}
          hideLabel
          required
          rows={3}
          markdown={repo}
          value={refused ? at.form.values.text('body') : ''}
          error={refused ? fieldError(at, 'body') : null}
        />
        <FormActions>
          <Button small variant="primary">
            {t('Reply')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

const ThreadActions = ({
  visit,
  repo,
  back,
  here,
  rights,
  root,
  thread,
}: {
  visit: Visit
  repo: Repo
  back: string
  here: string
  rights: ThreadRights
  root: CommentRecord
  thread: ReviewThread
}) => (
  <div class="thread-actions">
    {rights.reply && (
      <Reply root={root} visit={visit} repo={repo.full_name} here={here} back={back} />
    )}
    {rights.apply && <Suggested root={root} visit={visit} here={here} back={back} />}
    {rights.resolve && (
      <ActionButton
        action={`${here}/threads/resolve`}
        csrf={visit.csrf}
        values={{ comment_id: root.id, resolved: thread.resolved ? 'no' : 'yes', back }}
      >
        <Button small variant="quiet">
          {thread.resolved ? t('Unresolve') : t('Resolve conversation')}
        </Button>
      </ActionButton>
    )}
  </div>
)

interface ThreadProps {
  thread: ReviewThread
  visit: Visit
  repo: Repo
  number: number
  rights: ThreadRights
  back: string
  head?: Child
}

/** A thread has its first comment and the last ones. Its page has all. */
const MAX_COMMENTS_BELOW_LINE = 8
/** What a thread shows of a comment. */
export const MAX_THREAD_TEXT_BYTES = 5_000

/** The HTML of a comment beside its text, and of the excerpt that shows its suggestion. */
const COMMENT_BYTES = 4_000
const SUGGESTION_BYTES = 6_000
/** What a page has of the comments of a thread after the first one. */
const MAX_COMMENTS_BYTES = 32_000

type SizedComment = Pick<CommentRecord, 'body' | 'suggestion'>

/** The HTML of a comment in a thread, as estimated. */
export const threadCommentBytes = ({ body, suggestion }: SizedComment): number =>
  COMMENT_BYTES +
  excerptBytes(body, MAX_THREAD_TEXT_BYTES) +
  (suggestion === null ? 0 : SUGGESTION_BYTES)

/** The comments that a page shows of a thread. */
export function commentsBelowLine<T extends SizedComment>(comments: readonly T[]): readonly T[] {
  if (comments.length <= 2) return comments
  const newest = comments
    .slice(1)
    .slice(1 - MAX_COMMENTS_BELOW_LINE)
    .reverse()
  const last = firstItems(newest, MAX_COMMENTS_BYTES, threadCommentBytes)
  return [...comments.slice(0, 1), ...last.toReversed()]
}

/** The page of a thread, which the id of its first comment names. */
export const threadPath = (repo: string, number: number, id: string): string =>
  `${pullPath(repo, number)}/thread/${id}`

/** A thread that has no room below its line. */
export const ThreadLink = ({
  thread: { comments },
  repo,
  number,
}: Pick<ThreadProps, 'thread' | 'repo' | 'number'>) => {
  const [root] = comments
  return root === undefined ? null : (
    <p class="small">
      <a href={localPath(threadPath(repo.full_name, number, root.id))}>
        {rich('Conversation of {author}', { author: root.author.username })}
      </a>
    </p>
  )
}

/** Leads to the comments that are not shown. */
const LeftOutComments = ({ thread, repo, number }: ThreadProps) => {
  const [root] = thread.comments
  const leftOut = thread.comments.length - commentsBelowLine(thread.comments).length
  return root && leftOut > 0 ? (
    <p class="small">
      <a href={localPath(threadPath(repo.full_name, number, root.id))}>
        {tn('{count} more comment', '{count} more comments', leftOut)}
      </a>
    </p>
  ) : null
}

const ThreadComments = ({ thread, visit, repo, number, rights }: ThreadProps) => (
  <ol class="thread-comments">
    {commentsBelowLine(thread.comments).map((comment) => (
      <CommentItem
        comment={comment}
        visit={visit}
        repo={repo.full_name}
        here={pullPath(repo.full_name, number)}
        mayChange={rights.change}
        mayReact={rights.reply}
        placed
        maxBytes={MAX_THREAD_TEXT_BYTES}
        suggestion={(lines) => suggestionDiff(thread, thread.comments[0] ?? comment, lines)}
      />
    ))}
  </ol>
)

/**
 * A thread, folded once it is resolved. `back` is the address that its forms return to; empty for
 * the conversation.
 */
export const Thread = (props: ThreadProps) => {
  const { thread, repo, number, rights, back, head } = props
  const [root] = thread.comments
  if (!root) return null
  const body = (
    <>
      {head}
      {back === '' && thread.hunk.length > 0 && (
        <DiffExcerpt path={thread.path} lines={thread.hunk} />
      )}
      <LeftOutComments {...props} />
      <ThreadComments {...props} />
      {(rights.reply || rights.resolve) && (
        <ThreadActions {...props} here={pullPath(repo.full_name, number)} root={root} />
      )}
    </>
  )
  if (!thread.resolved) return <div class="review-thread">{body}</div>
  return (
    <details class="review-thread more">
      <summary>
        {rich('{back}Resolved conversation{resolved_by}', {
          back: back === '' && (
            <>
              <code>{thread.path}</code>:{' '}
            </>
          ),
          resolved_by: root.resolved_by && (
            <> {rich('by {username}', { username: root.resolved_by.username })}</>
          ),
        })}{' '}
        <Badge tone="done">{thread.comments.length}</Badge>
      </summary>
      {body}
    </details>
  )
}
