// The session of a pull request: the entries of its agent, open questions, and a form to ask one.
import { askAgent, getPullAgent } from '#features/agents/index.ts'
import { appendSession, getSession, type Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  Button,
  EmptyState,
  Form,
  FormActions,
  MarkdownBody,
  Notice,
  SessionStory,
  TextArea,
  type StoryEntry,
} from '../../components/index.ts'
import { eventStreamResponse, serverEvent, KEEP_ALIVE } from '../../live.ts'
import { commitPath, pullPath, withQuery } from '../../paths.ts'
import { action, redirectWithFlash, page, type Resource, type Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { AgentState, agentStateForms, loadAgentOf } from './agent-state.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { loadPullRecord } from './commits.tsx'
import { entryPath } from './session-entry.tsx'
import { loadSessionPart, MAX_ENTRY_BYTES, MAX_STEP_BYTES } from './session-part.ts'
import { rich, t, tn } from '../../text.ts'

const isActive = ({ status }: Pull): boolean => status === 'draft' || status === 'open'

/** The author, the owner of an agent that is the author, and whoever the question names. */
function mayAnswer({ viewer }: Visit, repo: Repo, pull: Pull, { data }: StoryEntry): boolean {
  if (viewer === null || repo.archived) return false
  const to = typeof data?.to === 'string' ? data.to.replace(/^@/, '').toLowerCase() : null
  return viewer.id === (pull.author.on_behalf_of?.id ?? pull.author.id) || to === viewer.username
}

const Answer = ({ visit, here, entry }: { visit: Visit; here: string; entry: StoryEntry }) => {
  const refused = visit.form.values.text('of') === String(entry.seq)
  return (
    <details class="more" open={refused}>
      <summary>{t('Answer')}</summary>
      <Form
        action={`${here}/answer`}
        csrf={visit.csrf}
        label={t('Answer to entry {seq}', { seq: entry.seq })}
        error={refused ? formError(visit, 'text') : null}
      >
        <input type="hidden" name="of" value={String(entry.seq)} />
        <TextArea
          id={`answer-${entry.seq}`}
          name="text"
          label={t('Your answer')}
          hideLabel
          required
          rows={3}
          value={refused ? visit.form.values.text('text') : ''}
          error={refused ? fieldError(visit, 'text') : null}
        />
        <FormActions>
          <Button small variant="primary">
            {t('Answer')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

const Ask = ({ visit, here, pull }: { visit: Visit; here: string; pull: Pull }) => {
  const refused = visit.form.values.has('question')
  return (
    <details class="more" open={refused}>
      <summary>{rich('Ask {agent}', { agent: pull.agent ?? pull.author.username })}</summary>
      <Form
        action={`${here}/ask`}
        csrf={visit.csrf}
        label={t('Ask a question')}
        error={refused ? formError(visit, 'text') : null}
      >
        <TextArea
          name="question"
          label={t('Question')}
          required
          rows={3}
          markdown={pull.repo}
          value={refused ? visit.form.values.text('question') : ''}
          error={refused ? fieldError(visit, 'text') : null}
          hint={t('It stands here until it is answered, for 7 days.')}
        />
        <FormActions>
          <Button small variant="primary">
            {t('Ask')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

export const sessionPage = page({
  path: '/:workspace/:repo/pull/:number/session',
  load: async (visit) => {
    const found = await loadPullRecord(visit)
    if (!found) return null
    const { pull } = found
    const [session, summaries] = await Promise.all([
      loadSessionPart(visit, found.target, pull.session.last_seq, isActive(pull)),
      visit.tryCall(getSession, { ...found.target, kind: 'summary', per_page: 1000 }),
    ])
    const agent = await loadAgentOf(visit, found.repo, found.target.number)
    return { ...found, session, summary: summaries?.items.at(-1) ?? null, agent }
  },
  view: ({ repo, pull, session, summary, agent }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'session')
    const last = session?.entries.at(-1)?.seq ?? 0
    // Earlier parts of a long session do not change any more.
    const live =
      session !== null && session.later === null && isActive(pull)
        ? {
            href: withQuery(`${here}/live`, { after: last }),
            said: tn('{count} entry', '{count} entries', last),
            tail: true,
          }
        : undefined
    const answerOf = (entry: StoryEntry) =>
      entry.kind === 'question' &&
      entry.data?.answered_by === undefined &&
      mayAnswer(visit, repo, pull, entry) ? (
        <Answer visit={visit} here={here} entry={entry} />
      ) : null
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="session" live={live}>
        {agent && <AgentState visit={visit} here={here} agent={agent} issue={pull.issue} />}
        {session === null ? (
          <Notice>{t('This session is shown to members only.')}</Notice>
        ) : session.entries.length === 0 ? (
          <EmptyState icon="spark" title={t('No session yet')}>
            {rich(
              'A session records how the change was made. Agents write it as they work; anyone may with {code}.',
              { code: <code>append_session</code> },
            )}
          </EmptyState>
        ) : (
          <SessionStory
            entries={session.entries}
            summary={summary}
            cost={pull.session.cost_usd}
            commitHref={(sha: string) => commitPath(codeOf(pull), sha)}
            footer={answerOf}
            earlier={session.earlier === null ? null : withQuery(here, { before: session.earlier })}
            later={session.later === null ? null : withQuery(here, { after: session.later })}
            wholeHref={({ seq }: StoryEntry) => entryPath(here, seq)}
            maxStepBytes={MAX_STEP_BYTES}
            render={(text: string, { seq }: StoryEntry) => (
              <MarkdownBody
                text={text}
                options={markdownOf(visit, repo.full_name, { kind: 'agent' })}
                whole={{ href: entryPath(here, seq), maxBytes: MAX_ENTRY_BYTES }}
              />
            )}
          />
        )}
        {session !== null &&
          visit.viewer !== null &&
          repo.permissions.write &&
          !repo.archived &&
          isActive(pull) && <Ask visit={visit} here={here} pull={pull} />}
      </PullFrame>
    )
  },
})

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const sessionPath = (visit: Visit): string =>
  pullPath(target(visit).repo, target(visit).number, 'session')

const answerForm = action({
  path: '/:workspace/:repo/pull/:number/session/answer',
  page: sessionPage,
  submit: async (visit, fields) => {
    const of = Number(fields.text('of'))
    const { last_seq } = await visit.call(appendSession, {
      ...target(visit),
      entries: [{ kind: 'answer', text: fields.text('text'), data: { of } }],
    })
    return `${sessionPath(visit)}?after=${Math.max(0, of - 1)}#entry-${last_seq}`
  },
})

const askForm = action({
  path: '/:workspace/:repo/pull/:number/session/ask',
  page: sessionPage,
  submit: async (visit, fields) => {
    await visit.call(askAgent, { ...target(visit), text: fields.text('question') })
    return redirectWithFlash(visit, sessionPath(visit), 'asked')
  },
})

export const sessionForms = [answerForm, askForm, ...agentStateForms(sessionPage)]

/** Below the usual timeout of idle connections. */
const WAIT_SECONDS = 15
/** An agent goes to work, or stops, without an entry. */
const WORKING_WAIT_SECONDS = 5

/** What the page shows of the agent that changes without an entry. */
async function agentStanding(visit: Visit): Promise<string> {
  const agent = await visit.tryCall(getPullAgent, target(visit))
  return agent ? `${agent.state} ${agent.queued_before} ${agent.waiting_for}` : ''
}

/** Yields `changed` as soon as there is a newer entry than those on the page. */
async function* follow(visit: Visit, after: number): AsyncGenerator<string> {
  const seen = await agentStanding(visit)
  for (;;) {
    const { items } = await visit.call(getSession, {
      ...target(visit),
      after,
      per_page: 1,
      wait: seen.startsWith('working') ? WORKING_WAIT_SECONDS : WAIT_SECONDS,
    })
    if (visit.request.signal.aborted || visit.hearth.draining.aborted) return
    if (items.length > 0 || (await agentStanding(visit)) !== seen) {
      yield serverEvent('changed', null)
      return
    }
    yield KEEP_ALIVE
  }
}

export const sessionLive: Resource = {
  path: '/:workspace/:repo/pull/:number/session/live',
  async respond(first) {
    const visit = first.forStream()
    const after = Math.max(0, Number(visit.url.searchParams.get('after') ?? '0') || 0)
    const read = () => visit.call(getSession, { ...target(visit), after, per_page: 1 })
    await read()
    return await eventStreamResponse(visit, follow(visit, after), read)
  },
}
