// Rows of lists. Each takes the part of a record that it shows, in the record's own words, so that
// a page can hand over what an operation answered.
import { numberText, plural, shortSha } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { commitPath, issuePath, pullPath, repoPath, withQuery } from '../paths.ts'
import { Avatar, AvatarStack, PersonLink, type Person } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Labels, type LabelLook } from './label.tsx'
import { CheckState, Chip, issueLook, pullLook } from './state.tsx'
import { RelativeTime } from './time.tsx'

/** A framed list. `head` holds filters or counts above the rows. */
export const List = ({
  head,
  label,
  children,
}: {
  head?: Child
  label: string
  children?: Child
}) => (
  <div class="list">
    {head !== undefined && <div class="list-head">{head}</div>}
    <ul aria-label={label}>{children}</ul>
  </div>
)

/** A row of anything: a mark, a title, a line below, something at the end. */
export const Row = ({
  mark,
  title,
  meta,
  end,
  children,
}: {
  mark?: Child
  title: Child
  meta?: Child
  end?: Child
  children?: Child
}) => (
  <li class="row">
    {mark !== undefined && <div class="row-mark">{mark}</div>}
    <div class="row-main">
      <div class="row-title">{title}</div>
      {meta !== undefined && <div class="row-meta">{meta}</div>}
      {children}
    </div>
    {end !== undefined && <div class="row-end">{end}</div>}
  </li>
)

export interface IssueLook {
  number: number
  repo: string
  title: string
  state: string
  reason?: string | null
  author: Person | null
  assignees?: readonly Person[]
  comments_count?: number
  pulls?: readonly { number: number; status: string }[]
  milestone?: { title: string } | null
  created_at: string
  closed_at?: string | null
}

const Comments = ({ count, href }: { count?: number; href: string }) =>
  count ? (
    <a class="row-count" href={href} aria-label={plural(count, 'comment')}>
      <Icon name="comment" /> {count}
    </a>
  ) : null

/**
 * An issue in a list. `labels` are its labels with their colours; `withRepo` names the repository
 * too.
 */
export const IssueRow = (props: {
  issue: IssueLook
  labels?: readonly LabelLook[]
  withRepo?: boolean
  now?: number
}) => {
  const { issue } = props
  const look = issueLook(issue)
  const href = issuePath(issue.repo, issue.number)
  const list = repoPath(issue.repo, '/issues')
  const closed = issue.state === 'open' ? null : issue.closed_at
  return (
    <Row
      mark={
        <span class={`tone-${look.tone}`}>
          <Icon name={look.icon} label={look.word} />
        </span>
      }
      title={
        <>
          <a class="row-link" href={href}>
            {issue.title}
          </a>
          <Labels labels={props.labels ?? []} href={(name) => withQuery(list, { label: name })} />
        </>
      }
      meta={
        <>
          <span>{props.withRepo ? `${issue.repo}#${issue.number}` : `#${issue.number}`}</span>
          <span>
            {closed ? 'closed' : 'opened'}{' '}
            <RelativeTime at={closed ?? issue.created_at} now={props.now} />
          </span>
          <span>
            by <PersonLink of={issue.author} face={false} />
          </span>
          {issue.milestone && (
            <span>
              <Icon name="milestone" size={14} /> {issue.milestone.title}
            </span>
          )}
        </>
      }
      end={
        <>
          {issue.pulls?.slice(0, 3).map((pull) => {
            const pullState = pullLook(pull.status)
            return (
              <a
                class={['row-count', `tone-${pullState.tone}`]}
                href={pullPath(issue.repo, pull.number)}
                aria-label={`Pull request ${pull.number}, ${pullState.word.toLowerCase()}`}
              >
                <Icon name={pullState.icon} /> {pull.number}
              </a>
            )
          })}
          <AvatarStack people={issue.assignees ?? []} />
          <Comments count={issue.comments_count} href={href} />
        </>
      }
    />
  )
}

export interface PullLook {
  number: number
  repo: string
  title: string
  status: string
  author: Person | null
  agent?: string | null
  issue?: number | null
  base?: { ref: string } | null
  checks_status?: string
  approvals?: { required: number; counted: number } | null
  additions?: number
  deletions?: number
  comments_count?: number
  queue?: { position: number | null } | null
  created_at: string
  merged_at?: string | null
  closed_at?: string | null
}

/** Lines added and removed; nothing where no line changed. */
export const Stat = ({ additions, deletions }: { additions: number; deletions: number }) =>
  additions + deletions === 0 ? null : (
    <span
      class="stat"
      aria-label={`${plural(additions, 'line')} added, ${plural(deletions, 'line')} removed`}
      role="img"
    >
      <span class="stat-add">+{numberText(additions)}</span>{' '}
      <span class="stat-del">−{numberText(deletions)}</span>
    </span>
  )

/** A pull request in a list. */
export const PullRow = (props: {
  pull: PullLook
  labels?: readonly LabelLook[]
  withRepo?: boolean
  now?: number
}) => {
  const { pull } = props
  const look = pullLook(pull.status)
  const href = pullPath(pull.repo, pull.number)
  const at = pull.merged_at ?? pull.closed_at ?? pull.created_at
  const word = pull.status === 'merged' ? 'merged' : pull.status === 'closed' ? 'closed' : 'opened'
  return (
    <Row
      mark={
        <span class={`tone-${look.tone}`}>
          <Icon name={look.icon} label={look.word} />
        </span>
      }
      title={
        <>
          <a class="row-link" href={href}>
            {pull.title}
          </a>
          {pull.checks_status && (
            <CheckState
              status={pull.checks_status}
              bare
              href={pullPath(pull.repo, pull.number, 'checks')}
            />
          )}
          {pull.status === 'draft' && <Chip>Draft</Chip>}
          {pull.queue && (
            <Chip icon="queue" tone="wait">
              {pull.queue.position ? `Queue ${pull.queue.position}` : 'Queue'}
            </Chip>
          )}
          <Labels
            labels={props.labels ?? []}
            href={(name) => withQuery(repoPath(pull.repo, '/pulls'), { label: name })}
          />
        </>
      }
      meta={
        <>
          <span>{props.withRepo ? `${pull.repo}#${pull.number}` : `#${pull.number}`}</span>
          <span>
            {word} <RelativeTime at={at} now={props.now} />
          </span>
          <span>
            by <PersonLink of={pull.author} face={false} />
          </span>
          {pull.issue ? (
            <span>
              for <a href={issuePath(pull.repo, pull.issue)}>#{pull.issue}</a>
            </span>
          ) : null}
          {pull.agent && (
            <span>
              <Icon name="agent" size={14} /> {pull.agent}
            </span>
          )}
          {pull.approvals && pull.approvals.required > 0 && pull.status === 'open' && (
            <span
              class={pull.approvals.counted >= pull.approvals.required ? 'tone-good' : undefined}
            >
              {pull.approvals.counted} of {plural(pull.approvals.required, 'approval')}
            </span>
          )}
        </>
      }
      end={
        <>
          {pull.additions !== undefined && pull.deletions !== undefined && (
            <Stat additions={pull.additions} deletions={pull.deletions} />
          )}
          <Comments count={pull.comments_count} href={href} />
        </>
      }
    />
  )
}

export interface RepoRowLook {
  full_name: string
  description?: string | null
  private?: boolean
  archived?: boolean
  language?: string | null
  topics?: readonly string[]
  stars_count?: number
  open_issues_count?: number
  open_pulls_count?: number
  updated_at?: string | null
  pushed_at?: string | null
}

/**
 * A repository in a list. `short` leaves the workspace's name out, on the workspace's own page;
 * `name` and `description` stand in place of the record's, with what was looked for marked in them.
 */
export const RepoRow = ({
  repo,
  short,
  now,
  ...marked
}: {
  repo: RepoRowLook
  short?: boolean
  now?: number
  name?: Child
  description?: Child
}) => {
  const [workspace = '', name = ''] = repo.full_name.split('/')
  const at = repo.pushed_at ?? repo.updated_at
  const description = marked.description ?? repo.description
  return (
    <Row
      mark={
        <Icon
          name={repo.private ? 'lock' : 'repo'}
          label={repo.private ? 'Private repository' : 'Public repository'}
        />
      }
      title={
        <>
          <a class="row-link" href={repoPath(repo.full_name)}>
            {!short && <span class="muted">{workspace} / </span>}
            {marked.name ?? name}
          </a>
          {repo.private && <Chip>Private</Chip>}
          {repo.archived && (
            <Chip icon="archive" tone="wait">
              Archived
            </Chip>
          )}
        </>
      }
      meta={
        <>
          {repo.language && <span>{repo.language}</span>}
          {repo.stars_count ? (
            <span>
              <Icon name="star" size={14} /> {repo.stars_count}
            </span>
          ) : null}
          {repo.open_issues_count ? (
            <span>
              <Icon name="issue" size={14} /> {repo.open_issues_count}
            </span>
          ) : null}
          {repo.open_pulls_count ? (
            <span>
              <Icon name="pull" size={14} /> {repo.open_pulls_count}
            </span>
          ) : null}
          {at && (
            <span>
              updated <RelativeTime at={at} now={now} />
            </span>
          )}
        </>
      }
    >
      {description && <p class="row-text">{description}</p>}
      {repo.topics && repo.topics.length > 0 && (
        <p class="topics">
          {repo.topics.map((topic) => (
            <a class="topic" href={withQuery('/explore', { topic })}>
              {topic}
            </a>
          ))}
        </p>
      )}
    </Row>
  )
}

export interface CommitLook {
  sha: string
  title: string
  message?: string
  author: { name: string; date: string; actor?: Person | null }
  pull?: number | null
  verification?: { verified: boolean } | null
}

/** The rest of a commit's message, without its title. */
const bodyOf = (commit: CommitLook): string =>
  (commit.message ?? '')
    .slice(commit.title.length)
    .replace(/^[\s…]+/, '')
    .trimEnd()

/** A commit in a list; the rest of its message unfolds. */
export const CommitRow = ({
  commit,
  repo,
  checks,
  now,
}: {
  commit: CommitLook
  repo: string
  checks?: string
  now?: number
}) => {
  const body = commit.message?.startsWith(commit.title) ? bodyOf(commit) : ''
  return (
    <Row
      mark={<Avatar of={commit.author.actor ?? { username: commit.author.name }} size={24} />}
      title={
        <>
          <a class="row-link" href={commitPath(repo, commit.sha)}>
            {commit.title || '(no message)'}
          </a>
          {commit.pull ? (
            <a class="muted" href={pullPath(repo, commit.pull)}>
              #{commit.pull}
            </a>
          ) : null}
          {checks && <CheckState status={checks} bare />}
        </>
      }
      meta={
        <>
          <span>
            {commit.author.actor ? (
              <PersonLink of={commit.author.actor} face={false} />
            ) : (
              commit.author.name
            )}
          </span>
          <RelativeTime at={commit.author.date} now={now} />
          {commit.verification?.verified && (
            <Chip icon="shield" tone="good">
              Verified
            </Chip>
          )}
        </>
      }
      end={
        <a class="sha" href={commitPath(repo, commit.sha)}>
          {shortSha(commit.sha)}
        </a>
      }
    >
      {body && (
        <details class="row-more">
          <summary>Message</summary>
          <pre>{body}</pre>
        </details>
      )}
    </Row>
  )
}
