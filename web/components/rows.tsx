// Rows of lists. Each takes the fields of a record that it shows under their API names, so that a
// page can pass the result of an operation.
import { overallChecks, type Pull } from '#features/pulls/index.ts'
import { formatNumber, shortSha } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { commitPath, issuePath, pullPath, repoPath, withQuery } from '../paths.ts'
import { Avatar, AvatarStack, ActorLink, type ActorSummary } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Labels, type RowLabels } from './label.tsx'
import { beginningOfText, TextBeginning } from './text-beginning.tsx'
import { CheckState, Chip, issueStateStyle, pullStateStyle } from './state.tsx'
import { RelativeTime } from './time.tsx'
import { rich, t, tn } from '../text.ts'

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

/** A row: mark, title, a line below, something at the end. `id` is for links to it. */
export const Row = ({
  id,
  mark,
  title,
  meta,
  end,
  children,
}: {
  id?: string
  mark?: Child
  title: Child
  meta?: Child
  end?: Child
  children?: Child
}) => (
  <li class="row" id={id}>
    {mark !== undefined && <div class="row-mark">{mark}</div>}
    <div class="row-main">
      <div class="row-title">{title}</div>
      {meta !== undefined && <div class="row-meta">{meta}</div>}
      {children}
    </div>
    {end !== undefined && <div class="row-end">{end}</div>}
  </li>
)

export interface IssueSummary {
  number: number
  repo: string
  title: string
  state: string
  reason?: string | null
  author: ActorSummary | null
  assignees?: readonly ActorSummary[]
  comments_count?: number
  pulls?: readonly { number: number; status: string }[]
  milestone?: { title: string } | null
  created_at: string
  closed_at?: string | null
}

const NO_LABELS: RowLabels = { labels: [], more: 0 }

const Comments = ({ count, href }: { count?: number; href: string }) =>
  count ? (
    // Some languages say one and two without the number, which the name of a link has to have.
    <a class="row-count" href={href}>
      <Icon name="comment" label={t('Comments')} /> {count}
    </a>
  ) : null

interface IssueRowProps {
  issue: IssueSummary
  labels?: RowLabels
  withRepo?: boolean
  now?: number
}

const IssueRowMeta = ({ issue, now, withRepo }: Omit<IssueRowProps, 'labels'>) => {
  const closed = issue.state === 'open' ? null : issue.closed_at
  return (
    <>
      <span>{withRepo ? `${issue.repo}#${issue.number}` : `#${issue.number}`}</span>
      <span>
        {closed ? t('closed') : t('opened')}{' '}
        <RelativeTime at={closed ?? issue.created_at} now={now} />
      </span>
      <span>{rich('by {actor}', { actor: <ActorLink of={issue.author} face={false} /> })}</span>
      {issue.milestone && (
        <span>
          <Icon name="milestone" size={14} /> {issue.milestone.title}
        </span>
      )}
    </>
  )
}

/**
 * An issue in a list. `labels` are its labels with their colours. `withRepo` shows the repository.
 */
export const IssueRow = (props: IssueRowProps) => {
  const { issue } = props
  const style = issueStateStyle(issue)
  const href = issuePath(issue.repo, issue.number)
  const list = repoPath(issue.repo, '/issues')
  return (
    <Row
      mark={
        <span class={`tone-${style.tone}`}>
          <Icon name={style.icon} label={style.label} />
        </span>
      }
      title={
        <>
          <a class="row-link" dir="auto" href={href}>
            {issue.title}
          </a>
          <Labels
            {...(props.labels ?? NO_LABELS)}
            href={(name) => withQuery(list, { label: name })}
          />
        </>
      }
      meta={<IssueRowMeta issue={issue} now={props.now} withRepo={props.withRepo} />}
      end={
        <>
          {issue.pulls?.slice(0, 3).map((pull) => {
            const pullState = pullStateStyle(pull.status)
            return (
              <a
                class={['row-count', `tone-${pullState.tone}`]}
                href={pullPath(issue.repo, pull.number)}
                aria-label={t('Pull request {number}, {label}', {
                  number: pull.number,
                  label: pullState.label.toLowerCase(),
                })}
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

export interface PullSummary {
  number: number
  repo: string
  title: string
  status: string
  author: ActorSummary | null
  agent?: string | null
  issue?: number | null
  base?: { ref: string } | null
  checks_status?: Pull['checks_status']
  statuses_state?: Pull['statuses_state']
  blockers?: readonly { code: string }[]
  approvals?: { required: number; counted: number } | null
  assignees?: readonly ActorSummary[]
  milestone?: { title: string } | null
  additions?: number
  deletions?: number
  comments_count?: number
  queue?: { position: number | null } | null
  created_at: string
  merged_at?: string | null
  closed_at?: string | null
}

/** The numbers of added and removed lines. Nothing when no line changed. */
export const Stat = ({ additions, deletions }: { additions: number; deletions: number }) =>
  additions + deletions === 0 ? null : (
    <span
      class="stat"
      aria-label={t('{lines} added, {lines2} removed', {
        lines: tn('{count} line', '{count} lines', additions),
        lines2: tn('{count} line', '{count} lines', deletions),
      })}
      role="img"
    >
      <span class="stat-add">+{formatNumber(additions)}</span>{' '}
      <span class="stat-del">−{formatNumber(deletions)}</span>
    </span>
  )

interface PullRowProps {
  pull: PullSummary
  labels?: RowLabels
  withRepo?: boolean
  now?: number
}

const PullRowTitle = ({ pull, labels }: Pick<PullRowProps, 'pull' | 'labels'>) => (
  <>
    <a class="row-link" dir="auto" href={pullPath(pull.repo, pull.number)}>
      {pull.title}
    </a>
    {pull.checks_status && (
      <CheckState
        status={overallChecks({
          checks_status: pull.checks_status,
          statuses_state: pull.statuses_state ?? 'none',
        })}
        bare
        href={pullPath(pull.repo, pull.number, 'checks')}
      />
    )}
    {pull.status === 'draft' && <Chip>{t('Draft')}</Chip>}
    {pull.queue && (
      <Chip icon="queue" tone="wait">
        {pull.queue.position
          ? t('Queue {position}', { position: pull.queue.position })
          : t('Queue')}
      </Chip>
    )}
    <Labels
      {...(labels ?? NO_LABELS)}
      href={(name) => withQuery(repoPath(pull.repo, '/pulls'), { label: name })}
    />
  </>
)

/** Whether reviewers approved it, or what is missing. */
const ReviewState = ({ pull }: { pull: PullSummary }) => {
  if (pull.blockers?.some(({ code }) => code === 'changes_requested'))
    return (
      <span class="tone-bad">
        <Icon name="close" size={14} /> {t('Changes requested')}
      </span>
    )
  const { required = 0, counted = 0 } = pull.approvals ?? {}
  if (counted > 0 && counted >= required)
    return (
      <span class="tone-good">
        <Icon name="check" size={14} /> {t('Approved')}
      </span>
    )
  return required === 0 ? null : (
    <span>
      {rich('Review required{required}', {
        required:
          required > 1 || counted > 0
            ? t(': {counted} of {approvals}', {
                counted,
                approvals: tn('{count} approval', '{count} approvals', required),
              })
            : '',
      })}
    </span>
  )
}

const PullRowMeta = ({ pull, now, withRepo }: Omit<PullRowProps, 'labels'>) => {
  const at = pull.merged_at ?? pull.closed_at ?? pull.created_at
  const event =
    pull.status === 'merged' ? t('merged') : pull.status === 'closed' ? t('closed') : t('opened')
  return (
    <>
      <span>{withRepo ? `${pull.repo}#${pull.number}` : `#${pull.number}`}</span>
      <span>
        {event} <RelativeTime at={at} now={now} />
      </span>
      <span>{rich('by {actor}', { actor: <ActorLink of={pull.author} face={false} /> })}</span>
      {pull.issue ? (
        <span>
          {rich('for {a}', { a: <a href={issuePath(pull.repo, pull.issue)}>#{pull.issue}</a> })}
        </span>
      ) : null}
      {pull.agent && (
        <span>
          <Icon name="agent" size={14} /> {pull.agent}
        </span>
      )}
      {pull.milestone && (
        <span>
          <Icon name="milestone" size={14} /> {pull.milestone.title}
        </span>
      )}
      {pull.status === 'open' && <ReviewState pull={pull} />}
    </>
  )
}

/** A pull request in a list. */
export const PullRow = (props: PullRowProps) => {
  const { pull } = props
  const style = pullStateStyle(pull.status)
  const href = pullPath(pull.repo, pull.number)
  return (
    <Row
      mark={
        <span class={`tone-${style.tone}`}>
          <Icon name={style.icon} label={style.label} />
        </span>
      }
      title={<PullRowTitle pull={pull} labels={props.labels} />}
      meta={<PullRowMeta pull={pull} now={props.now} withRepo={props.withRepo} />}
      end={
        <>
          {pull.additions !== undefined && pull.deletions !== undefined && (
            <Stat additions={pull.additions} deletions={pull.deletions} />
          )}
          <AvatarStack people={pull.assignees ?? []} />
          <Comments count={pull.comments_count} href={href} />
        </>
      }
    />
  )
}

export interface RepoListItem {
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

const RepoRowMeta = ({ repo, now }: { repo: RepoListItem; now?: number }) => {
  const at = repo.pushed_at ?? repo.updated_at
  return (
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
      {at && <span>{rich('updated {time}', { time: <RelativeTime at={at} now={now} /> })}</span>}
    </>
  )
}

/**
 * A repository in a list. `short` omits the workspace, for its own page. `name` and `description`
 * replace those of the record, with search matches marked.
 */
export const RepoRow = ({
  repo,
  short,
  now,
  ...marked
}: {
  repo: RepoListItem
  short?: boolean
  now?: number
  name?: Child
  description?: Child
}) => {
  const [workspace = '', name = ''] = repo.full_name.split('/')
  const description = marked.description ?? repo.description
  return (
    <Row
      mark={
        <Icon
          name={repo.private ? 'lock' : 'repo'}
          label={repo.private ? t('Private repository') : t('Public repository')}
        />
      }
      title={
        <>
          <a class="row-link" href={repoPath(repo.full_name)}>
            {!short && <span class="muted">{workspace} / </span>}
            {marked.name ?? name}
          </a>
          {repo.private && <Chip>{t('Private')}</Chip>}
          {repo.archived && (
            <Chip icon="archive" tone="wait">
              {t('Archived')}
            </Chip>
          )}
        </>
      }
      meta={<RepoRowMeta repo={repo} now={now} />}
    >
      {description && (
        <p class="row-text">
          <bdi>{description}</bdi>
        </p>
      )}
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

export interface CommitSummary {
  sha: string
  title: string
  message?: string
  author: { name: string; date: string; actor?: ActorSummary | null }
  pull?: number | null
  verification?: { verified: boolean } | null
}

/** The message of a commit without its title. */
const messageBody = (commit: CommitSummary): string =>
  (commit.message ?? '')
    .slice(commit.title.length)
    .replace(/^[\s…]+/, '')
    .trimEnd()

/** What a row shows of a message, and of its title. */
const MAX_MESSAGE_BYTES = 800
const MAX_TITLE_BYTES = 600

const CommitMessage = ({ text, href }: { text: string; href: string }) => (
  <details class="row-more">
    <summary>{t('Message')}</summary>
    <pre>
      <TextBeginning text={text} maxBytes={MAX_MESSAGE_BYTES} href={href} />
    </pre>
  </details>
)

/** A commit in a list. The rest of its message unfolds, and its page has all of it. */
export const CommitRow = ({
  commit,
  repo,
  checks,
  now,
}: {
  commit: CommitSummary
  repo: string
  checks?: string
  now?: number
}) => {
  const body = commit.message?.startsWith(commit.title) ? messageBody(commit) : ''
  return (
    <Row
      mark={<Avatar of={commit.author.actor ?? { username: commit.author.name }} size={24} />}
      title={
        <>
          <a class="row-link" dir="auto" href={commitPath(repo, commit.sha)}>
            {beginningOfText(commit.title, MAX_TITLE_BYTES) || t('(no message)')}
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
              <ActorLink of={commit.author.actor} face={false} />
            ) : (
              commit.author.name
            )}
          </span>
          <RelativeTime at={commit.author.date} now={now} />
          {commit.verification?.verified && (
            <Chip icon="shield" tone="good">
              {t('Verified')}
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
      {body && <CommitMessage text={body} href={commitPath(repo, commit.sha)} />}
    </Row>
  )
}
