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
  Button,
  Card,
  Commands,
  CopyField,
  Field,
  FieldSet,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  ActorLink,
  RelativeTime,
  Row,
  Select,
  TokenSecret,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { translateMessage } from '../../messages.ts'
import { pullPath, repoPath } from '../../paths.ts'
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
import { loadPage, onSamePage, RowSteps, type ListPage } from '../row-form.tsx'
import { RepoFrame, repoOf } from './frame.tsx'
import { mayProtectMore, StricterProtection } from './stricter-protection.tsx'
import { localized, rich, t } from '../../text.ts'
import { AgentOverview, loadOverview, RUNNING_PAGE, type Overview } from './agent-overview.tsx'
import { AgentFace, AgentStateBadge, costOfAgent, StoppedNote } from './agent-parts.tsx'

const LIFETIMES = localized([
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
  { value: '2160', label: '90 days' },
])
const ROLES = localized([
  { value: 'read', label: 'Read: see, comment, open pull requests' },
  { value: 'triage', label: 'Triage: label, assign, close' },
  { value: 'write', label: 'Write: push branches' },
])
const SCOPES_OF_AGENTS = SCOPES.filter((scope) => !PERSONAL_AREAS.has(scope.split(':')[0] ?? ''))

/** The agents that have ended are beside the running ones and a form, on a page below 100 KB. */
const ENDED_PER_PAGE = 20

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
    {(agent.cost_usd > 0 || agent.max_usd !== null) && <span>{costOfAgent(agent)}</span>}
    {agent.waiting_for !== null && agent.pull !== null && (
      <a href={pullPath(agent.repo, agent.pull, 'session')}>
        {translateMessage(agent.waiting_for)}
      </a>
    )}
    {agent.model !== null && <span>{agent.model}</span>}
    {agent.stopped && (
      <span>
        <StoppedNote stopped={agent.stopped} />
      </span>
    )}
  </>
)

/** An agent that has ended; those at work are in the overview. */
const AgentRow = ({ agent }: { agent: Agent }) => (
  <Row
    mark={<AgentFace agent={agent} />}
    title={
      <>
        <strong>{agent.name}</strong> <code>…{agent.token.last_four}</code>
      </>
    }
    meta={<AgentMeta agent={agent} />}
    end={<AgentStateBadge agent={agent} />}
  />
)

type AgentsData = {
  repo: Repo
  ended: ListPage<Agent>
  overview: Overview
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
      label={t('Maximum cost, in US dollars')}
      mono
      hint={t('It is stopped once it has cost this much.')}
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
        label={t('Maximum role')}
        required
        options={ROLES}
        value={typed.optional('role') ?? 'write'}
        error={fieldError(visit, 'role')}
      />
      <Select
        name="expires_in_hours"
        label={t('Expires after')}
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

/** The reason when all agents are stopped with one press. */
export const stoppedByHand = (): string => t('stopped on the page of agents')

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

/** How an MCP client signs in as the new agent. */
const ClientSettings = ({ url, secret }: { url: string; secret: string }) => {
  const hearth = { type: 'http', url, headers: { Authorization: `Bearer ${secret}` } }
  return (
    <>
      <CopyField id="tool-server" label={t('Address of the tool server')} value={url} />
      <Commands label={t('Copy the settings of an MCP client')}>
        {JSON.stringify({ mcpServers: { hearth } }, null, 2)}
      </Commands>
    </>
  )
}

const AgentsView = ({
  visit,
  repo,
  ended,
  overview,
  made,
  offersProtection,
}: AgentsData & { visit: Visit }): Html => {
  const here = repoPath(repo.full_name, '/agents')
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
      {made && <ClientSettings url={visit.hearth.settings.mcp_url} secret={made.secret} />}
      {offersProtection && <StricterProtection visit={visit} repo={repo} />}
      <AgentOverview visit={visit} overview={overview} here={here} />
      {ended.items.length > 0 && (
        <List label={t('Ended')} head={<strong>{t('Ended')}</strong>}>
          {ended.items.map((agent) => (
            <AgentRow agent={agent} />
          ))}
        </List>
      )}
      <RowSteps list={ended} here={onSamePage(visit, here, RUNNING_PAGE)} label={t('Ended')} />
      {!repo.archived && (
        <Card title={t('Start an agent')}>
          <p class="muted">
            {t(
              'You get a token for a program that you run yourself. The built-in agent starts from an issue: assign the issue to it.',
            )}
          </p>
          <NewAgentForm visit={visit} here={here} made={made !== null} />
        </Card>
      )}
    </RepoFrame>
  )
}

async function load(visit: Visit): Promise<Omit<AgentsData, 'made'> | null> {
  const repo = await visit.call(getRepo, { repo: repoOf(visit) })
  if (!repo.permissions.maintain) return null
  const ended = await loadPage(visit, (page) =>
    visit.call(listAgents, {
      repo: repo.full_name,
      ended: true,
      page,
      per_page: ENDED_PER_PAGE,
    }),
  )
  const overview = await loadOverview(visit, { repo: repo.full_name })
  const hasAgents = ended.items.length > 0 || overview.total > 0
  const offersProtection = hasAgents && (await mayProtectMore(visit, repo))
  return { repo, ended, overview, offersProtection }
}

export const agentsPage = page({
  path: '/:workspace/:repo/agents',
  load,
  view: (shown, visit) => <AgentsView visit={visit} {...shown} made={null} />,
})

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
      expires_in_hours: fields.number('expires_in_hours'),
      pull: fields.number('pull'),
      max_usd: fields.number('max_usd'),
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
    const reason = fields.optional('reason')?.trim() || stoppedByHand()
    await visit.call(stopAllAgents, { repo: repoOf(visit), reason })
    return redirectWithFlash(visit, repoPath(repoOf(visit), '/agents'), 'agents-stopped')
  },
})

export const agentForms = [startAgentForm, stopAgentForm, stopAllForm]
