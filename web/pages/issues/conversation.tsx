// Comments and events, shared by the pages of issues and pull requests.
import type { EventRecord } from '#features/repos/index.ts'
import { splitSuggestion, type Comment as CommentRecord } from '#features/issues/index.ts'
import {
  Button,
  Comment,
  CsrfField,
  Form,
  FormActions,
  Icon,
  LinkButton,
  MarkdownBody,
  TextArea,
  TimelineEvent,
  type IconName,
  type MarkdownBodyOptions,
  type Tone,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { ReactionBar } from './reactions.tsx'

/** The Markdown options for comments and descriptions of a repository. */
export const markdownOf = (visit: Visit, repo: string): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo },
  breaks: true,
})

/** The form that edits a comment in its place. */
const EditComment = ({
  comment,
  visit,
  repo,
  here,
}: {
  comment: CommentRecord
  visit: Visit
  repo: string
  here: string
}) => {
  const refused = visit.form.values.text('comment_id') === comment.id
  return (
    <Form
      action={`${here}/comments/edit`}
      csrf={visit.csrf}
      label="Edit the comment"
      error={refused ? formError(visit, 'body') : null}
    >
      <input type="hidden" name="comment_id" value={comment.id} />
      <TextArea
        id={`edit-${comment.id}`}
        name="text"
        label="Comment"
        hideLabel
        required
        rows={6}
        markdown={repo}
        value={refused ? visit.form.values.text('text') : comment.body}
        error={refused ? fieldError(visit, 'body') : null}
      />
      <FormActions>
        <Button variant="primary">Save</Button>
        <LinkButton href={`${here}#${comment.id}`} variant="quiet">
          Cancel
        </LinkButton>
      </FormActions>
    </Form>
  )
}

const menuOf = (comment: CommentRecord, visit: Visit, here: string) => [
  {
    label: 'Edit',
    icon: 'edit' as const,
    href: `${withQuery(here, { edit: comment.id })}#${comment.id}`,
  },
  {
    label: 'Delete',
    form: (
      <form action={`${here}/comments/delete`} method="post" data-once>
        <CsrfField csrf={visit.csrf} />
        <input type="hidden" name="comment_id" value={comment.id} />
        <button type="submit" class="menu-button">
          <Icon name="trash" />
          <span>Delete</span>
        </button>
      </form>
    ),
  },
]

/** The line that a comment is on. */
const placeOf = ({ path, line, outdated }: CommentRecord) =>
  path === null ? undefined : (
    <>
      wrote on{' '}
      <code>
        {path}
        {line === null ? '' : `:${line}`}
      </code>
      {outdated ? ' (outdated)' : ''}
    </>
  )

/**
 * `here` is the address of the issue or pull request. `mayChange` is about comments of others;
 * authors may always change their own.
 */
export const CommentItem = ({
  comment,
  visit,
  repo,
  role,
  here,
  mayChange,
  mayReact = visit.viewer !== null,
  placed = false,
  suggestion,
}: {
  comment: CommentRecord
  visit: Visit
  repo: string
  role?: string
  here: string
  mayChange: boolean
  mayReact?: boolean
  /** The comment is below its line, so its header does not name the line. */
  placed?: boolean
  /** Shows the block with a suggestion, such as by the lines that it changes. */
  suggestion?: (lines: readonly string[]) => Child
}) => {
  const isAuthor = visit.viewer !== null && visit.viewer.id === comment.author.id
  const changing =
    (isAuthor || mayChange) &&
    [visit.url.searchParams.get('edit'), visit.form.values.text('comment_id')].includes(comment.id)
  return (
    <Comment
      id={comment.id}
      author={comment.author}
      at={comment.created_at}
      edited={comment.updated_at !== comment.created_at}
      role={role}
      verb={placed ? undefined : placeOf(comment)}
      reactions={<ReactionBar comment={comment} visit={visit} here={here} mayReact={mayReact} />}
      menu={isAuthor || mayChange ? menuOf(comment, visit, here) : undefined}
      body={
        changing ? (
          <EditComment comment={comment} visit={visit} repo={repo} here={here} />
        ) : (
          <CommentText
            text={comment.body}
            options={markdownOf(visit, repo)}
            tasks={
              isAuthor || mayChange
                ? { action: `${here}/tasks`, csrf: visit.csrf, comment: comment.id }
                : null
            }
            suggestion={suggestion}
          />
        )
      }
    />
  )
}

/** A comment whose suggestion is shown as `suggestion` has it. Its boxes cannot be ticked then. */
const CommentText = ({
  suggestion,
  ...markdown
}: Parameters<typeof MarkdownBody>[0] & {
  suggestion?: (lines: readonly string[]) => Child
}) => {
  const { text, options } = markdown
  const split = suggestion && text ? splitSuggestion(text) : null
  const shown = split && suggestion?.(split.lines)
  if (!split || !shown) return <MarkdownBody {...markdown} />
  return (
    <>
      {split.before.trim() !== '' && <MarkdownBody text={split.before} options={options} />}
      {shown}
      {split.after.trim() !== '' && <MarkdownBody text={split.after} options={options} />}
    </>
  )
}

type EventStyle = {
  icon: IconName
  tone?: Tone
  describe: (data: Record<string, unknown>) => string
}

const list = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '')

/**
 * Sentences about events, after the name of the actor. Missing types appear elsewhere on the page,
 * as comments do.
 */
const EVENT_STYLES: Readonly<Record<string, EventStyle>> = {
  'issue.updated': {
    icon: 'edit',
    describe: ({ changed }) =>
      `changed ${list(changed)
        .replace(/\blocked\b/, 'who may comment')
        .replaceAll('_', ' ')}`,
  },
  'issue.assigned': {
    icon: 'user',
    describe: ({ assignees }) =>
      list(assignees) === '' ? 'removed the assignees' : `assigned ${list(assignees)}`,
  },
  'issue.closed': {
    icon: 'issue-closed',
    tone: 'done',
    describe: ({ reason, resolved_by }) =>
      resolved_by
        ? `closed this with pull request #${String(resolved_by)}`
        : `closed this as ${reason === 'not_planned' ? 'not planned' : 'completed'}`,
  },
  'issue.reopened': { icon: 'issue', tone: 'good', describe: () => 'opened this again' },
  'pull.ready': { icon: 'pull', tone: 'good', describe: () => 'marked this ready for review' },
  'pull.updated': {
    icon: 'commit',
    describe: ({ changed, head, reason }) =>
      list(changed).includes('head') && head
        ? `pushed ${String(head).slice(0, 7)}`
        : reason
          ? `disabled auto-merge: ${String(reason)}`
          : `changed ${list(changed).replaceAll('_', ' ')}`,
  },
  'pull.merge_requested': { icon: 'merge', describe: () => 'requested the merge' },
  'pull.merged': {
    icon: 'merge',
    tone: 'done',
    describe: ({ commit, method }) =>
      `merged this as ${String(commit).slice(0, 7)}${method && method !== 'merge' ? ` by ${String(method)}` : ''}`,
  },
  'pull.closed': {
    icon: 'pull-closed',
    tone: 'bad',
    describe: ({ superseded_by }) =>
      superseded_by
        ? `closed this: #${String(superseded_by)} was merged for the same issue`
        : 'closed this',
  },
}

export const EventItem = ({ event }: { event: EventRecord }) => {
  const style = EVENT_STYLES[event.type]
  if (!style) return null
  return (
    <TimelineEvent
      icon={style.icon}
      tone={style.tone}
      actor={event.actor}
      at={event.time}
      id={event.id}
    >
      {style.describe(event.data)}
    </TimelineEvent>
  )
}

/** Comments and events in chronological order. */
export const sortByTime = <T,>(items: readonly { at: string; item: T }[]): T[] =>
  [...items].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ item }) => item)
