// The lists at the top of the start page: what needs the attention of the visitor.
import { getPullAgent, type Agent } from '#features/agents/index.ts'
import { listNotifications, type Notification } from '#features/notifications/index.ts'
import { listWaiting } from '#features/overview/index.ts'
import {
  EmptyState,
  Icon,
  IssueRow,
  LinkButton,
  List,
  PullRow,
  RelativeTime,
  Row,
} from '../components/index.ts'
import { pullPath } from '../paths.ts'
import type { Visit } from '../site.ts'
import { MessageForm } from './pulls/agent-state.tsx'
import { iconOfKind, SHORT_REASONS, titleOf } from './notifications/reasons.ts'
import { t } from '../text.ts'

/** Questions that can be answered on the start page. */
const MAX_ANSWER_FORMS = 5

/** Sessions that stop until a user answers. */
const BLOCKING_REASONS = ['agent_waiting', 'run_approval'] as const

export async function loadAttention(visit: Visit) {
  const [waiting, ...sessions] = await Promise.all([
    visit.tryCall(listWaiting, {}),
    ...BLOCKING_REASONS.map((reason) => visit.call(listNotifications, { reason, per_page: 20 })),
  ])
  const stopped = sessions.flatMap(({ items }) => items)
  return {
    ...(waiting ?? { reviews: [], assigned: { issues: [], pulls: [] }, own: [] }),
    stopped: await Promise.all(
      stopped.map(async (one, at) => ({
        ...one,
        agent: at < MAX_ANSWER_FORMS ? await findAgentWithQuestion(visit, one) : null,
      })),
    ),
  }
}

/** The built-in agent that waits for an answer; null for others, whose page has the form. */
async function findAgentWithQuestion(
  visit: Visit,
  { reason, repo, subject: { number } }: Notification,
): Promise<Agent | null> {
  if (reason !== 'agent_waiting' || repo === null || number === null) return null
  const agent = await visit.tryCall(getPullAgent, { repo, number })
  return agent?.asked === true ? agent : null
}

export type AttentionItems = Awaited<ReturnType<typeof loadAttention>>
type Stopped = AttentionItems['stopped'][number]

const StoppedRow = ({ visit, one }: { visit: Visit; one: Stopped }) => (
  <Row
    mark={
      <span class="tone-wait">
        <Icon name={iconOfKind(one.subject.kind)} label={SHORT_REASONS[one.reason]} />
      </span>
    }
    title={
      <a class="row-link" href={one.subject.url.replace(/^https?:\/\/[^/]+/, '')}>
        {titleOf(one.subject)}
      </a>
    }
    meta={
      <>
        <span>
          {one.repo}
          {one.subject.number === null ? '' : `#${one.subject.number}`}
        </span>
        <RelativeTime at={one.updated_at} />
      </>
    }
  >
    {one.agent?.pull && (
      <MessageForm
        visit={visit}
        here={pullPath(one.agent.repo, one.agent.pull, 'session')}
        agent={one.agent}
      />
    )}
  </Row>
)

/** The most urgent list comes first. Empty lists are left out. */
export const AttentionLists = ({ visit, waiting }: { visit: Visit; waiting: AttentionItems }) => {
  const { stopped, reviews, assigned, own } = waiting
  const listed = new Set([...reviews, ...own].map(({ id }) => id))
  const pulls = assigned.pulls.filter(({ id }) => !listed.has(id))
  if (stopped.length + reviews.length + assigned.issues.length + pulls.length + own.length === 0) {
    return (
      <EmptyState
        icon="check-circle"
        title={t('Nothing needs your attention')}
        actions={<LinkButton href="/notifications">{t('Notifications')}</LinkButton>}
      >
        {t(
          'Review requests, your assigned issues and pull requests, and questions of agents appear here.',
        )}
      </EmptyState>
    )
  }
  return (
    <>
      {stopped.length > 0 && (
        <List label={t('Waiting for your answer')} head={<h2>{t('Waiting for your answer')}</h2>}>
          {stopped.map((one) => (
            <StoppedRow visit={visit} one={one} />
          ))}
        </List>
      )}
      {reviews.length > 0 && (
        <List label={t('Review requested')} head={<h2>{t('Review requested')}</h2>}>
          {reviews.map((pull) => (
            <PullRow pull={pull} withRepo />
          ))}
        </List>
      )}
      {assigned.issues.length + pulls.length > 0 && (
        <List label={t('Assigned to you')} head={<h2>{t('Assigned to you')}</h2>}>
          {assigned.issues.map((issue) => (
            <IssueRow issue={issue} withRepo />
          ))}
          {pulls.map((pull) => (
            <PullRow pull={pull} withRepo />
          ))}
        </List>
      )}
      {own.length > 0 && (
        <List
          label={t('Your pull requests')}
          head={<h2>{t('Your pull requests, and those of your agents')}</h2>}
        >
          {own.map((pull) => (
            <PullRow pull={pull} withRepo />
          ))}
        </List>
      )}
    </>
  )
}
