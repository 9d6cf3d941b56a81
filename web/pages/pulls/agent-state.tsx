// What the built-in agent of a pull request does, above its session.
import { answerAgent, resumeAgent } from '#features/agent-runs/index.ts'
import { getAgent, stopAgent, type Agent } from '#features/agents/index.ts'
import type { SessionEntry } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  Card,
  Form,
  FormActions,
  TextArea,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { agentStateStyle } from '../repos/agent-state.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { t } from '../../text.ts'

/** The agent that wrote in this session last; null for visitors without Write. */
export async function loadAgentOf(
  visit: Visit,
  repo: Repo,
  entries: readonly SessionEntry[],
): Promise<Agent | null> {
  if (visit.viewer === null || !repo.permissions.write) return null
  const id = entries.findLast(({ author }) => author?.kind === 'agent')?.author?.id
  const agent = id && (await visit.tryCall(getAgent, { repo: repo.full_name, id }))
  return agent || null
}

const GoOn = ({ visit, here, agent }: { visit: Visit; here: string; agent: Agent }) => (
  <Form
    action={`${here}/agent`}
    csrf={visit.csrf}
    label={t('Go on')}
    error={visit.form.values.has('agent') ? formError(visit, 'text') : null}
  >
    <input type="hidden" name="agent" value={agent.id} />
    <input type="hidden" name="asked" value={String(agent.asked)} />
    <TextArea
      name="text"
      label={agent.asked ? t('Your answer') : t('Message')}
      required={agent.asked}
      rows={3}
      value={visit.form.values.has('agent') ? visit.form.values.text('text') : ''}
      error={visit.form.values.has('agent') ? fieldError(visit, 'text') : null}
      hint={t('The agent reads it first. Its turns and revisions are counted anew.')}
    />
    <FormActions>
      <Button variant="primary" icon="play">
        {t('Go on')}
      </Button>
    </FormActions>
  </Form>
)

/** State, cost and the buttons: stop it, or let it go on. */
export const AgentState = ({
  visit,
  here,
  agent,
}: {
  visit: Visit
  here: string
  agent: Agent
}) => {
  const { tone, label } = agentStateStyle(agent.state)
  const isRunning = agent.state !== 'stopped' && agent.state !== 'finished'
  return (
    <Card title={t('Agent')}>
      <p>
        <Badge tone={tone}>{label}</Badge>{' '}
        {agent.waiting_for !== null && <span>{agent.waiting_for}</span>}{' '}
        <span class="muted">
          {formatCost(agent.cost_usd)}
          {agent.max_usd !== null && t(' of {max_usd}', { max_usd: formatCost(agent.max_usd) })}
        </span>
      </p>
      {agent.waiting_for !== null && <GoOn visit={visit} here={here} agent={agent} />}
      {isRunning && (
        <ActionButton action={`${here}/stop`} csrf={visit.csrf} values={{ agent: agent.id }}>
          <Button small variant="danger" icon="stop">
            {t('Stop')}
          </Button>
        </ActionButton>
      )}
    </Card>
  )
}

const sessionPathOf = (visit: Visit): string =>
  pullPath(repoOf(visit), Number(visit.params.number ?? '0'), 'session')

export const agentStateForms = (sessionPage: Page) => [
  action({
    path: '/:workspace/:repo/pull/:number/session/agent',
    page: sessionPage,
    submit: async (visit, fields) => {
      const target = { repo: repoOf(visit), id: fields.text('agent') }
      const text = fields.optional('text')
      const asked = fields.ticked('asked')
      if (asked) await visit.call(answerAgent, { ...target, text: text ?? '' })
      else await visit.call(resumeAgent, { ...target, message: text })
      return redirectWithFlash(visit, sessionPathOf(visit), 'agent-resumed')
    },
  }),
  action({
    path: '/:workspace/:repo/pull/:number/session/stop',
    page: sessionPage,
    submit: async (visit, fields) => {
      await visit.call(stopAgent, { repo: repoOf(visit), id: fields.text('agent') })
      return redirectWithFlash(visit, sessionPathOf(visit), 'agent-stopped')
    },
  }),
]
