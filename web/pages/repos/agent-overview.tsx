// The agents at work: what each does, costs and waits for, and one button that stops all.
import { getAgentOverview } from '#features/agents/index.ts'
import {
  ActionButton,
  ActorLink,
  Badge,
  Button,
  EmptyState,
  List,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { hashState } from '../../live.ts'
import { translateMessage } from '../../messages.ts'
import { pullPath, repoPath, withQuery } from '../../paths.ts'
import type { OutputOf, Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { loadPage, onSamePage, RowSteps } from '../row-form.tsx'
import { AgentFace, AgentStateBadge, costOfAgent } from './agent-parts.tsx'

type Shown = OutputOf<typeof getAgentOverview>['agents'][number]
/** The page of the running agents in the address of a page that has other lists too. */
export const RUNNING_PAGE = 'running'

export type Overview = Awaited<ReturnType<typeof loadOverview>>

export type Where = { readonly repo: string } | { readonly workspace: string }

/** The page of the running agents that the address names. */
export const loadOverview = (visit: Visit, where: Where) =>
  loadPage(
    visit,
    async (page) => {
      const { agents, ...rest } = await visit.call(getAgentOverview, { ...where, page })
      return { ...rest, items: agents }
    },
    RUNNING_PAGE,
  )

/** What readers of the page have seen. */
export const overviewState = (overview: Overview): string => hashState(overview)

const Doing = ({ shown: { agent, step } }: { shown: Shown }) => {
  const session = agent.pull === null ? null : pullPath(agent.repo, agent.pull, 'session')
  const waits = agent.waiting_for && translateMessage(agent.waiting_for)
  if (waits !== null)
    return (
      <p class="tone-wait">
        {rich('Waits: {why}', { why: session === null ? waits : <a href={session}>{waits}</a> })}
      </p>
    )
  if (step === null) return null
  const text = <code>{step.text}</code>
  return (
    <p class="muted">
      {session === null ? text : <a href={session}>{text}</a>} <RelativeTime at={step.at} />
    </p>
  )
}

const RunningRow = ({ shown, visit, here }: { shown: Shown; visit: Visit; here: string }) => {
  const { agent } = shown
  return (
    <Row
      mark={<AgentFace agent={agent} />}
      title={
        <>
          <strong>{agent.name}</strong>{' '}
          <a href={agent.pull === null ? repoPath(agent.repo) : pullPath(agent.repo, agent.pull)}>
            {shown.title ?? agent.repo}
          </a>{' '}
          {shown.title !== null && <span class="muted">{`${agent.repo}#${agent.pull}`}</span>}
        </>
      }
      meta={
        <>
          <span>{rich('for {actor}', { actor: <ActorLink of={agent.owner} face={false} /> })}</span>
          {agent.model !== null && <span>{agent.model}</span>}
          <span>{costOfAgent(agent)}</span>
        </>
      }
      end={
        <>
          <AgentStateBadge agent={agent} />
          <ActionButton
            action={`${here}/stop`}
            csrf={visit.csrf}
            values={{ id: agent.id, repo: agent.repo }}
          >
            <Button small variant="danger" icon="stop">
              {t('Stop')}
            </Button>
          </ActionButton>
        </>
      }
    >
      <Doing shown={shown} />
    </Row>
  )
}

const Head = ({ visit, overview, here }: { visit: Visit; overview: Overview; here: string }) => {
  const { total, waiting, cost_usd } = overview
  return (
    <div class="actions">
      <span>
        <strong>{tn('{count} agent', '{count} agents', total)}</strong>{' '}
        {waiting > 0 && (
          <Badge tone="wait">{tn('{count} waits for you', '{count} wait for you', waiting)}</Badge>
        )}{' '}
        <span class="muted">{t('{cost} in the last 30 days', { cost: formatCost(cost_usd) })}</span>
      </span>
      <ActionButton action={`${here}/stop-all`} csrf={visit.csrf} values={{}}>
        <Button small variant="danger" icon="stop">
          {t('Stop all agents')}
        </Button>
      </ActionButton>
    </div>
  )
}

/** The part of a page that follows what agents do; `here` is the address of the page. */
export const AgentOverview = ({
  visit,
  overview,
  here,
}: {
  visit: Visit
  overview: Overview
  here: string
}) => {
  const live = withQuery(`${here}/live`, { state: overviewState(overview) })
  return (
    <div
      class="stack"
      id="agent-overview"
      data-live={onSamePage(visit, live, RUNNING_PAGE)}
      data-said={tn('{count} agent', '{count} agents', overview.total)}
    >
      {overview.total === 0 ? (
        <EmptyState icon="agent" title={t('No agent is running')}>
          {t('Assign an issue to the agent on the page of the issue.')}
        </EmptyState>
      ) : (
        <>
          <List
            label={t('Running agents')}
            head={<Head visit={visit} overview={overview} here={here} />}
          >
            {overview.items.map((shown) => (
              <RunningRow shown={shown} visit={visit} here={here} />
            ))}
          </List>
          <RowSteps
            list={overview}
            here={onSamePage(visit, here, 'page')}
            name={RUNNING_PAGE}
            label={t('Running agents')}
          />
        </>
      )}
    </div>
  )
}
