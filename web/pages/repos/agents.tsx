import { PERSONAL_AREAS, SCOPES } from '#core/scopes.ts'
import {
  createAgent,
  listAgents,
  stopAgent,
  stopAllAgents,
  DEFAULT_AGENT_SCOPES,
  type Agent,
} from '#features/agents/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Avatar,
  Badge,
  Button,
  Card,
  CopyField,
  EmptyState,
  Field,
  FieldSet,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Pager,
  ActorLink,
  RelativeTime,
  Row,
  Select,
  TokenSecret,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import type { Html } from '../../jsx/html.ts'
import { pullPath, repoPath, withQuery } from '../../paths.ts'
import {
  pageResponse,
  action,
  redirectWithFlash,
  page,
  type Visit,
  type Fields,
} from '../../site.ts'
import { Ticks } from '../accounts/scope-choice.tsx'
import { fieldError, formError } from '../shell.tsx'
import { RepoFrame, repoOf } from './frame.tsx'
import { mayProtectMore, StricterProtection } from './stricter-protection.tsx'
import { localized, rich, t, texts } from '../../text.ts'

const LIFETIMES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
  { value: '2160', label: '90 days' },
]
const ROLES = localized([
  { value: 'read', label: 'Read: see, comment, open pull requests' },
  { value: 'triage', label: 'Triage: label, assign, close' },
  { value: 'write', label: 'Write: push branches' },
])
const SCOPES_OF_AGENTS = SCOPES.filter((scope) => !PERSONAL_AREAS.has(scope.split(':')[0] ?? ''))

const TONES = {
  working: 'good',
  waiting: 'wait',
  idle: 'plain',
  stopped: 'bad',
  finished: 'done',
} as const
const WORDS = texts({
  working: 'Working',
  waiting: 'Waits for an answer',
  idle: 'Idle',
  stopped: 'Stopped',
  finished: 'Finished',
} as const)

export const agentStateStyle = (state: Agent['state']) => ({
  tone: TONES[state],
  label: WORDS[state],
})

const isRunning = ({ state }: Agent): boolean => state !== 'stopped' && state !== 'finished'

const AgentMeta = ({ agent }: { agent: Agent }) => (
  <>
    <span>{rich('for {actor}', { actor: <ActorLink of={agent.owner} face={false} /> })}</span>
    {agent.pull !== null && <a href={pullPath(agent.repo, agent.pull)}>#{agent.pull}</a>}
    <span>{agent.role}</span>
    <span>
      {agent.last_seen_at === null
        ? t('Never seen')
        : rich('Seen {time}', { time: <RelativeTime at={agent.last_seen_at} /> })}
    </span>
    {isRunning(agent) && (
      <span>{rich('Ends {time}', { time: <RelativeTime at={agent.expires_at} /> })}</span>
    )}
    {(agent.cost_usd > 0 || agent.max_usd !== null) && (
      <span>
        {formatCost(agent.cost_usd)}
        {agent.max_usd !== null && t(' of {max_usd}', { max_usd: formatCost(agent.max_usd) })}
      </span>
    )}
    {agent.waiting_for !== null && agent.pull !== null && (
      <a href={pullPath(agent.repo, agent.pull, 'session')}>{agent.waiting_for}</a>
    )}
    {agent.model !== null && <span>{agent.model}</span>}
    {agent.stopped && (
      <span>
        {rich('Stopped {time}{by}{reason}', {
          time: <RelativeTime at={agent.stopped.at} />,
          by: agent.stopped.by && (
            <> {rich('by {actor}', { actor: <ActorLink of={agent.stopped.by} face={false} /> })}</>
          ),
          reason:
            agent.stopped.reason &&
            `: ${agent.stopped.reason === 'cost_cap' ? t('it reached its limit') : agent.stopped.reason}`,
        })}
      </span>
    )}
  </>
)

const AgentRow = ({ agent, visit }: { agent: Agent; visit: Visit }) => (
  <Row
    mark={
      <Avatar of={{ username: `${agent.owner.username}/${agent.name}`, kind: 'agent' }} size={32} />
    }
    title={
      <>
        <strong>{agent.name}</strong> <code>…{agent.token.last_four}</code>
      </>
    }
    meta={<AgentMeta agent={agent} />}
    end={
      <>
        <Badge tone={TONES[agent.state]}>{WORDS[agent.state]}</Badge>
        {isRunning(agent) && (
          <ActionButton
            action={repoPath(agent.repo, '/agents/stop')}
            csrf={visit.csrf}
            values={{ id: agent.id }}
          >
            <Button small variant="danger" icon="stop">
              {t('Stop')}
            </Button>
          </ActionButton>
        )}
      </>
    }
  />
)

type AgentsData = {
  repo: Repo
  agents: readonly Agent[]
  number: number
  more: boolean
  made: { name: string; secret: string } | null
  offersProtection: boolean
}

const AgentLimits = ({
  visit,
  typedText,
  made,
  typed,
}: {
  visit: Visit
  typedText: (name: string) => string
  made: boolean
  typed: Fields
}) => (
  <details
    class="more"
    open={
      ['pull', 'max_usd'].some((name) => typedText(name) !== '') ||
      fieldError(visit, 'scopes') !== null
    }
  >
    <summary>{t('More limits')}</summary>
    <Field
      name="pull"
      label={t('Pull request')}
      type="number"
      min={1}
      hint={t('Its number. The agent ends when that is closed or merged.')}
      value={typedText('pull')}
      error={fieldError(visit, 'pull')}
    />
    <Field
      name="max_usd"
      label={t('Most it may cost, in dollars')}
      mono
      hint={t('It is stopped once it has reported this much.')}
      value={typedText('max_usd')}
      error={fieldError(visit, 'max_usd')}
    />
    <FieldSet legend={t('Scopes')} error={fieldError(visit, 'scopes')}>
      <Ticks
        scopes={SCOPES_OF_AGENTS}
        ticked={typed.has('name') && !made ? typed.all('scopes') : DEFAULT_AGENT_SCOPES}
      />
    </FieldSet>
  </details>
)

function NewAgentForm({ visit, here, made }: { visit: Visit; here: string; made: boolean }) {
  const typed = visit.form.values
  const typedText = (name: string) => (made ? '' : typed.text(name))
  return (
    <Form
      action={here}
      csrf={visit.csrf}
      error={formError(visit, 'name', 'role', 'expires_in_hours', 'pull', 'max_usd', 'scopes')}
    >
      <Field
        name="name"
        label={t('Name')}
        required
        maxlength={39}
        mono
        hint={t('It appears as {username}/name.', { username: visit.viewer?.username ?? 'you' })}
        value={typedText('name')}
        error={fieldError(visit, 'name')}
      />
      <Select
        name="role"
        label={t('It may at most')}
        required
        options={ROLES}
        value={typed.optional('role') ?? 'write'}
        error={fieldError(visit, 'role')}
      />
      <Select
        name="expires_in_hours"
        label={t('Ends after')}
        required
        options={LIFETIMES}
        value={typed.optional('expires_in_hours') ?? '24'}
        error={fieldError(visit, 'expires_in_hours')}
      />
      <AgentLimits visit={visit} typedText={typedText} made={made} typed={typed} />
      <FormActions>
        <Button variant="primary" icon="play">
          {t('Start agent')}
        </Button>
      </FormActions>
    </Form>
  )
}

const StopAllCard = ({ visit, here }: { visit: Visit; here: string }) => (
  <Card title={t('Stop everything')} tone="bad">
    <p>{t('Stops every agent of this repository at once, and switches automatic merging off.')}</p>
    <Form
      action={`${here}/stop-all`}
      csrf={visit.csrf}
      error={visit.form.values.has('reason') ? formError(visit, 'reason') : null}
    >
      <Field
        name="reason"
        label={t('Why')}
        required
        maxlength={500}
        value={visit.form.values.text('reason')}
        error={fieldError(visit, 'reason')}
      />
      <FormActions>
        <Button variant="danger" icon="stop">
          {t('Stop all agents')}
        </Button>
      </FormActions>
    </Form>
  </Card>
)

const AgentsHead = ({ repo }: { repo: Repo }) => (
  <PageHead
    title={t('Agents')}
    lead={t(
      'Software that works here for a person, with a token that reaches this repository alone.',
    )}
    actions={
      <LinkButton href={repoPath(repo.full_name, '/memory')} icon="layers">
        {t('Memory')}
      </LinkButton>
    }
  />
)

const AgentsView = ({
  visit,
  repo,
  agents,
  number,
  more,
  made,
  offersProtection,
}: AgentsData & { visit: Visit }): Html => {
  const here = repoPath(repo.full_name, '/agents')
  const running = agents.filter(isRunning)
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Agents')} current="agents">
      <AgentsHead repo={repo} />
      {made && (
        <TokenSecret secret={made.secret}>
          {rich(
            'This is the token of {name}. Git takes it as the password; the tool server takes it as a bearer token.',
            { name: made.name },
          )}
        </TokenSecret>
      )}
      {made && (
        <CopyField
          id="tool-server"
          label={t('Address of the tool server')}
          value={visit.hearth.settings.mcp_url}
        />
      )}
      {offersProtection && <StricterProtection visit={visit} repo={repo} />}
      {agents.length === 0 ? (
        <EmptyState icon="agent" title={t('No agents yet')}>
          {t('Start one below, and give its token to the program that shall do the work.')}
        </EmptyState>
      ) : (
        <List label={t('Agents')}>
          {agents.map((agent) => (
            <AgentRow agent={agent} visit={visit} />
          ))}
        </List>
      )}
      <Pager
        newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
        older={more ? withQuery(here, { page: number + 1 }) : null}
        label={t('Agents')}
      />
      {!repo.archived && (
        <Card title={t('Start an agent')}>
          <NewAgentForm visit={visit} here={here} made={made !== null} />
        </Card>
      )}
      {running.length > 0 && <StopAllCard visit={visit} here={here} />}
    </RepoFrame>
  )
}

async function load(visit: Visit): Promise<Omit<AgentsData, 'made'> | null> {
  const number = Math.max(1, Number(visit.url.searchParams.get('page') ?? '1') || 1)
  const repo = await visit.call(getRepo, { repo: repoOf(visit) })
  if (!repo.permissions.maintain) return null
  const { items, next } = await visit.call(listAgents, { repo: repo.full_name, page: number })
  const offersProtection = items.length > 0 && (await mayProtectMore(visit, repo))
  return { repo, agents: items, number, more: next !== null, offersProtection }
}

export const agentsPage = page({
  path: '/:workspace/:repo/agents',
  load,
  view: (shown, visit) => <AgentsView visit={visit} {...shown} made={null} />,
})

/** A typed number. Other text is passed on, so that the operation reports it. */
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text.replace(',', '.'))

/**
 * Responds with the page and not with a redirect, because the secret is shown once and not stored.
 */
const startAgentForm = action({
  path: '/:workspace/:repo/agents',
  page: agentsPage,
  submit: async (visit, fields) => {
    const scopes = fields.all('scopes').filter((scope) => scope !== '')
    const made = await visit.call(createAgent, {
      repo: repoOf(visit),
      name: fields.text('name').trim(),
      role: ROLES.find(({ value }) => value === fields.text('role'))?.value as
        | 'read'
        | 'triage'
        | 'write'
        | undefined,
      scopes,
      expires_in_hours: numberOf(fields.optional('expires_in_hours')),
      pull: numberOf(fields.optional('pull')),
      max_usd: numberOf(fields.optional('max_usd')),
    })
    const shown = await load(visit)
    if (shown === null) return repoPath(repoOf(visit))
    const view = (
      <AgentsView
        visit={visit}
        {...shown}
        made={{ name: made.name, secret: made.token.secret ?? '' }}
      />
    )
    return pageResponse(visit, view)
  },
})

const stopAgentForm = action({
  path: '/:workspace/:repo/agents/stop',
  page: agentsPage,
  submit: async (visit, fields) => {
    await visit.call(stopAgent, { repo: repoOf(visit), id: fields.text('id') })
    return redirectWithFlash(visit, repoPath(repoOf(visit), '/agents'), 'agent-stopped')
  },
})

const stopAllForm = action({
  path: '/:workspace/:repo/agents/stop-all',
  page: agentsPage,
  submit: async (visit, fields) => {
    await visit.call(stopAllAgents, { repo: repoOf(visit), reason: fields.text('reason').trim() })
    return redirectWithFlash(visit, repoPath(repoOf(visit), '/agents'), 'agents-stopped')
  },
})

export const agentForms = [startAgentForm, stopAgentForm, stopAllForm]
