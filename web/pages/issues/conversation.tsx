// Comments, as the pages of issues and pull requests show them.
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
  type MarkdownBodyOptions,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { textPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { inPart } from './conversation-part.ts'
import { ReactionBar } from './reactions.tsx'
import { rich, t } from '../../text.ts'

/** The Markdown options for comments and descriptions of a repository. */
export const markdownOf = (
  visit: Visit,
  repo: string,
  author: { readonly kind: string } | null = null,
): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo },
  breaks: true,
  isByAgent: author?.kind === 'agent',
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
      action={inPart(visit, `${here}/comments/edit`)}
      csrf={visit.csrf}
      label={t('Edit the comment')}
      error={refused ? formError(visit, 'body') : null}
    >
      <input type="hidden" name="comment_id" value={comment.id} />
      <TextArea
        id={`edit-${comment.id}`}
        name="text"
        label={t('Comment')}
        hideLabel
        required
        rows={6}
        markdown={repo}
        value={refused ? visit.form.values.text('text') : comment.body}
        error={refused ? fieldError(visit, 'body') : null}
      />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
        <LinkButton href={`${inPart(visit, here)}#${comment.id}`} variant="quiet">
          {t('Cancel')}
        </LinkButton>
      </FormActions>
    </Form>
  )
}

const menuOf = (comment: CommentRecord, visit: Visit, here: string, sharedIcons: boolean) => [
  {
    label: t('Edit'),
    icon: 'edit' as const,
    href: `${withQuery(inPart(visit, here), { edit: comment.id })}#${comment.id}`,
  },
  {
    label: t('Delete'),
    form: (
      <form action={inPart(visit, `${here}/comments/delete`)} method="post" data-once>
        <CsrfField csrf={visit.csrf} />
        <input type="hidden" name="comment_id" value={comment.id} />
        <button type="submit" class="menu-button">
          <Icon name="trash" shared={sharedIcons} />
          <span>{t('Delete')}</span>
        </button>
      </form>
    ),
  },
]

const isBeingEdited = ({ url, form }: Visit, { id }: CommentRecord): boolean =>
  [url.searchParams.get('edit'), form.values.text('comment_id')].includes(id)

/** Where the boxes of tasks in a comment are ticked. */
const tasksOf = (comment: CommentRecord, visit: Visit, here: string) => ({
  action: inPart(visit, `${here}/tasks`),
  csrf: visit.csrf,
  comment: comment.id,
})

/** The line that a comment is on. */
const placeOf = ({ path, line, outdated }: CommentRecord) =>
  path === null
    ? undefined
    : rich('wrote on {code}{outdated}', {
        code: (
          <code>
            {path}
            {line === null ? '' : `:${line}`}
          </code>
        ),
        outdated: outdated ? ` ${t('(outdated)')}` : '',
      })

type CommentItemProps = {
  comment: CommentRecord
  visit: Visit
  repo: string
  role?: string
  here: string
  mayChange: boolean
  mayReact?: boolean
  /** The comment is in a thread below its line, so its header does not name the line. */
  placed?: boolean
  /** What the page shows of the text. */
  maxBytes?: number
  /** Shows the block with a suggestion, such as by the lines that it changes. */
  suggestion?: (lines: readonly string[]) => Child
}

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
  maxBytes,
  suggestion,
}: CommentItemProps) => {
  const mayEdit = mayChange || visit.viewer?.id === comment.author.id
  const changing = mayEdit && isBeingEdited(visit, comment)
  return (
    <Comment
      id={comment.id}
      author={comment.author}
      at={comment.created_at}
      edited={comment.updated_at !== comment.created_at}
      role={role}
      verb={placed ? undefined : placeOf(comment)}
      reactions={
        <ReactionBar
          reactions={comment.reactions}
          action={inPart(visit, `${here}/comments/${comment.id}/react`)}
          visit={visit}
          mayReact={mayReact}
          sharedIcons={!placed}
        />
      }
      menu={mayEdit ? menuOf(comment, visit, here, !placed) : undefined}
      sharedIcons={!placed}
      body={
        changing ? (
          <EditComment comment={comment} visit={visit} repo={repo} here={here} />
        ) : (
          <CommentText
            text={comment.body}
            options={markdownOf(visit, repo, comment.author)}
            tasks={mayEdit ? tasksOf(comment, visit, here) : null}
            whole={{ href: textPath(here, comment.id), maxBytes }}
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
  const { text, options, whole } = markdown
  const split = suggestion && text ? splitSuggestion(text) : null
  const shown = split && suggestion?.(split.lines)
  if (!split || !shown) return <MarkdownBody {...markdown} />
  return (
    <>
      {split.before.trim() !== '' && (
        <MarkdownBody text={split.before} options={options} whole={whole} />
      )}
      {shown}
      {split.after.trim() !== '' && (
        <MarkdownBody text={split.after} options={options} whole={whole} />
      )}
    </>
  )
}
