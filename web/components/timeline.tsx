import type { Child } from '../jsx/html.ts'
import { ActorLink, Avatar, type ActorSummary } from './avatar.tsx'
import { Button, LinkButton } from './button.tsx'
import { previewPath } from '../paths.ts'
import { AttachField, Form, markdownTyping } from './form.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { Chip, type Tone } from './state.tsx'
import { RelativeTime } from './time.tsx'
import { t, texts } from '../text.ts'

/**
 * A conversation in order: comments, and events between them. Where it `isPart` of one, the script
 * finds comments of the others.
 */
export const Timeline = ({
  label = t('Conversation'),
  isPart = false,
  children,
}: {
  label?: string
  isPart?: boolean
  children?: Child
}) => (
  <ol class="timeline" aria-label={label} data-part-of={isPart ? '' : undefined}>
    {children}
  </ol>
)

/** An event, as a sentence. */
export const TimelineEvent = (props: {
  icon: IconName
  tone?: Tone
  actor?: ActorSummary | null
  at: string
  now?: number
  id?: string
  children?: Child
}) => (
  <li class="event" id={props.id}>
    <span class={['event-icon', props.tone && `tone-${props.tone}`]}>
      <Icon name={props.icon} />
    </span>
    <div class="event-text">
      {props.actor !== undefined && <ActorLink of={props.actor} />} {props.children}{' '}
      <RelativeTime at={props.at} now={props.now} />
    </div>
  </li>
)

export const reactionNames: Readonly<Record<string, string>> = texts({
  '+1': 'thumbs up',
  '-1': 'thumbs down',
  laugh: 'laugh',
  hooray: 'hooray',
  confused: 'confused',
  heart: 'heart',
  rocket: 'rocket',
  eyes: 'eyes',
})

export const reactionSigns: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
}

/**
 * Reactions with their counts. With `action` and `csrf` each is a button that adds or removes the
 * viewer's own (field `content`).
 */
export const Reactions = (props: {
  reactions: Readonly<Record<string, number>>
  action?: string
  csrf?: string
}) => {
  const given = Object.entries(props.reactions).filter(
    ([name, count]) => count > 0 && Object.hasOwn(reactionSigns, name),
  )
  if (given.length === 0) return null
  const inside = given.map(([name, count]) =>
    props.action ? (
      <button
        type="submit"
        name="content"
        value={name}
        class="reaction"
        aria-label={`${reactionNames[name]}, ${count}`}
      >
        <span aria-hidden="true">{reactionSigns[name]}</span> {count}
      </button>
    ) : (
      <span class="reaction" role="img" aria-label={`${reactionNames[name]}, ${count}`}>
        <span aria-hidden="true">{reactionSigns[name]}</span> {count}
      </span>
    ),
  )
  return props.action && props.csrf ? (
    <Form action={props.action} csrf={props.csrf} class="reactions" inline>
      {inside}
    </Form>
  ) : (
    <div class="reactions">{inside}</div>
  )
}

export interface CommentProps {
  /** The id of the element for links: that of the comment, or `description`. */
  id: string
  author: ActorSummary | null
  at: string
  edited?: boolean
  /** HTML of the Markdown renderer. */
  body: Child
  /** The role of the author: author, member, reviewer. */
  role?: string
  menu?: readonly (MenuItem | 'line')[]
  reactions?: Child
  footer?: Child
  /** What the author did, such as `approved these changes`. */
  verb?: Child
  tone?: Tone
  now?: number
  /** The page has `COMMENT_ICONS` in its `IconDrawings`. */
  sharedIcons?: boolean
}

/** The icons of comments, of which a conversation has dozens. */
export const COMMENT_ICONS: readonly IconName[] = ['more', 'edit', 'trash', 'smile', 'chevron-down']

/** A comment, a description or a review, as an item of a {@link Timeline}. */
export const Comment = (props: CommentProps) => (
  <li class={['comment', props.tone && `comment-${props.tone}`]} id={props.id}>
    <div class="comment-face">
      <Avatar of={props.author ?? { username: 'hearth', kind: 'workspace' }} size={32} />
    </div>
    <article
      class="comment-box"
      aria-label={t('By {username}', { username: props.author?.username ?? 'Hearth' })}
    >
      <header class="comment-head">
        <span>
          <ActorLink of={props.author} face={false} />{' '}
          <span class="muted">{props.verb ?? t('wrote')}</span>{' '}
          <a class="muted" href={`#${props.id}`}>
            <RelativeTime at={props.at} now={props.now} />
          </a>
          {props.edited && <span class="muted"> {t('(edited)')}</span>}
        </span>
        <div class="actions">
          {props.role && <Chip>{props.role}</Chip>}
          {props.menu && (
            <Menu
              class="comment-menu"
              label={t('More about this comment')}
              summary={<Icon name="more" shared={props.sharedIcons} />}
              items={props.menu}
              sharedIcons={props.sharedIcons}
            />
          )}
        </div>
      </header>
      <div class="comment-body">{props.body}</div>
      {props.reactions !== undefined && props.reactions}
      {props.footer !== undefined && <footer class="comment-foot">{props.footer}</footer>}
    </article>
  </li>
)

interface CommentBoxProps {
  action: string
  csrf: string
  viewer: ActorSummary
  name?: string
  label?: string
  value?: string | null
  error?: string | null
  placeholder?: string
  button?: string
  extra?: Child
  repo?: string
  rows?: number
  children?: Child
}

const CommentBoxActions = ({
  id,
  name,
  props,
}: {
  id: string
  name: string
  props: CommentBoxProps
}) => (
  <div class="comment-actions">
    <p class="hint" id={`${id}-hint`}>
      {t('Markdown. Mention people with @, issues with #.')}
    </p>
    <div class="actions">
      {props.extra}
      <Button variant="primary">{props.button ?? t('Comment')}</Button>
      {props.repo !== undefined && (
        <button
          type="submit"
          class="btn btn-quiet"
          formaction={previewPath(props.repo, name)}
          formtarget="_blank"
          formnovalidate
          data-preview={id}
        >
          {t('Preview')}
        </button>
      )}
    </div>
  </div>
)

/**
 * The form for a comment. `repo` is the repository that the text belongs to. `extra` adds buttons
 * (close, approve).
 */
export const CommentBox = (props: CommentBoxProps) => {
  const name = props.name ?? 'body'
  const id = `field-${name}-new`
  return (
    <div class="comment comment-new" id="new-comment">
      <div class="comment-face">
        <Avatar of={props.viewer} size={32} />
      </div>
      <Form
        action={props.action}
        csrf={props.csrf}
        class="comment-box"
        label={props.label ?? t('Add a comment')}
      >
        {props.children}
        <label class="unseen" for={id}>
          {props.label ?? t('Comment')}
        </label>
        <textarea
          class="input"
          id={id}
          name={name}
          rows={props.rows ?? 4}
          placeholder={props.placeholder ?? t('Write in Markdown')}
          required
          aria-invalid={props.error ? 'true' : undefined}
          aria-describedby={props.error ? `${id}-error ${id}-hint` : `${id}-hint`}
          data-autosize
          {...(props.repo === undefined ? {} : markdownTyping(props.repo))}
        >
          {props.value}
        </textarea>
        {props.error && (
          <p class="field-error" id={`${id}-error`}>
            <Icon name="warning" />
            {props.error}
          </p>
        )}
        {props.repo !== undefined && <AttachField name={name} of={id} />}
        <CommentBoxActions id={id} name={name} props={props} />
      </Form>
    </div>
  )
}

/** Replaces the form for those who cannot comment. */
export const CommentClosed = ({ children, signIn }: { children?: Child; signIn?: string }) => (
  <div class="comment-closed">
    <span>{children}</span>
    {signIn && (
      <LinkButton href={signIn} small>
        {t('Sign in')}
      </LinkButton>
    )}
  </div>
)
