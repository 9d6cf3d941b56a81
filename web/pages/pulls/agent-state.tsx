// What the built-in agent of a pull request does, above its session.
import { answerAgent, resumeAgent } from '#features/agent-runs/index.ts'
import { getPullAgent, stopAgent, type Agent } from '#features/agents/index.ts'
import { getSession } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Form,
  FormActions,
  LinkButton,
  MarkdownBody,
  RelativeTime,
  TextArea,
} from '../../components/index.ts'
import { sentenceOf } from '../../messages.ts'
import { issuePath, pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { AgentStateBadge, costOfAgent, StoppedNote } from '../repos/agent-parts.tsx'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { rich, t } from '../../text.ts'

/** The agent of a pull request; null for visitors without Write. */
export async function loadAgentOf(visit: Visit, repo: Repo, number: number): Promise<Agent | null> {
  if (visit.viewer === null || !repo.permissions.write) return null
  return (await visit.tryCall(getPullAgent, { repo: repo.full_name, number })) ?? null
}

/** An agent that waits for a person, with its question when it asked one. */
export async function loadWaitingAgent(visit: Visit, repo: Repo, number: number) {
  const agent = await loadAgentOf(visit, repo, number)
  if (agent?.state !== 'waiting') return null
  // An agent from outside waits for nothing else.
  if (agent.waiting_for !== null && !agent.asked) return { agent, question: null }
  const questions = await visit.tryCall(getSession, {
    repo: repo.full_name,
    number,
    kind: 'question',
    per_page: 1000,
  })
  return { agent, question: questions?.items.at(-1)?.text ?? null }
}

export type WaitingAgent = NonNullable<Awaited<ReturnType<typeof loadWaitingAgent>>>

export const MessageForm = ({
  visit,
  here,
  agent,
}: {
  visit: Visit
  here: string
  agent: Agent
}) => {
  const isIdle = agent.state === 'idle'
  const isRefused = visit.form.values.text('agent') === agent.id
  const [label, button] = isIdle
    ? [t('What should change'), t('Send back to the agent')]
    : [agent.asked ? t('Your answer') : t('Message'), t('Resume agent')]
  return (
    <Form
      action={`${here}/agent`}
      csrf={visit.csrf}
      label={button}
      error={isRefused ? formError(visit, 'text', 'message') : null}
    >
      <input type="hidden" name="agent" value={agent.id} />
      <input type="hidden" name="asked" value={String(agent.asked)} />
      <TextArea
        id={`say-${agent.id}`}
        name="text"
        label={label}
        required={agent.asked || isIdle}
        rows={3}
        value={isRefused ? visit.form.values.text('text') : ''}
        error={isRefused ? fieldError(visit, 'text') : null}
        hint={t('The agent reads it first. Its turns and revisions are counted anew.')}
      />
      <FormActions>
        <Button variant={isIdle ? 'plain' : 'primary'} icon="play">
          {button}
        </Button>
      </FormActions>
    </Form>
  )
}

/** The form for a person: resumes the built-in agent, or sends its work back. */
const NextStep = ({ visit, here, agent }: { visit: Visit; here: string; agent: Agent }) => {
  if (agent.waiting_for !== null) return <MessageForm visit={visit} here={here} agent={agent} />
  // Other agents read the session and reviews.
  if (agent.state !== 'idle' || agent.state_since === null) return null
  return (
    <details class="more" open={visit.form.values.has('agent')}>
      <summary>{t('Ask for changes')}</summary>
      <MessageForm visit={visit} here={here} agent={agent} />
    </details>
  )
}

/** Why an agent was stopped, and how a person goes on. Agents from outside have no model here. */
const StoppedCard = ({ agent, issue }: { agent: Agent; issue: number | null }) =>
  agent.stopped && (
    <>
      <p>
        <StoppedNote stopped={agent.stopped} />
      </p>
      {issue !== null && agent.model !== null && (
        <p class="muted">
          {rich(
            'To go on, assign {issue} again, with a higher maximum cost where it needs one. What it pushed stays here.',
            { issue: <a href={issuePath(agent.repo, issue)}>#{issue}</a> },
          )}
        </p>
      )}
    </>
  )

/** State, cost and the buttons: stop it, or let it go on. */
export const AgentState = ({
  visit,
  here,
  agent,
  issue,
}: {
  visit: Visit
  here: string
  agent: Agent
  /** The number of the issue that it was given. */
  issue: number | null
}) => {
  const isRunning = agent.state !== 'stopped' && agent.state !== 'finished'
  return (
    <Card title={t('Agent')}>
      <p>
        <AgentStateBadge agent={agent} />{' '}
        <span class="muted">
          {isRunning && agent.state_since !== null && (
            <>
              {rich('since {time}', { time: <RelativeTime at={agent.state_since} /> })}
              {' · '}
            </>
          )}
          {costOfAgent(agent)}
        </span>
      </p>
      {agent.waiting_for !== null && <p>{sentenceOf(agent.waiting_for)}</p>}
      <StoppedCard agent={agent} issue={issue} />
      <NextStep visit={visit} here={here} agent={agent} />
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

/** What the conversation shows of a question. */
const MAX_QUESTION_BYTES = 5_000

/** Says in the conversation that the agent waits for a person, with the form to go on. */
export const WaitingAgentCard = ({
  visit,
  here,
  waiting: { agent, question },
}: {
  visit: Visit
  /** The address of the session. */
  here: string
  waiting: WaitingAgent
}) => (
  <Card title={t('Agent')}>
    <p>
      <AgentStateBadge agent={agent} />{' '}
      {agent.waiting_for === null ? t('It asked a question.') : sentenceOf(agent.waiting_for)}
    </p>
    {question !== null && (
      <MarkdownBody
        text={question}
        options={markdownOf(visit, agent.repo, { kind: 'agent' })}
        whole={{ href: here, maxBytes: MAX_QUESTION_BYTES }}
      />
    )}
    {agent.waiting_for !== null && <MessageForm visit={visit} here={here} agent={agent} />}
    <p>
      <LinkButton href={here} icon="spark">
        {agent.waiting_for === null ? t('Answer in the session') : t('Show the session')}
      </LinkButton>
    </p>
  </Card>
)

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
