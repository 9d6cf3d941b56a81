// Questions about a repository that a model answers with citations.
import {
  askQuestion,
  deleteQuestion,
  getQuestion,
  listQuestions,
  MAX_QUESTION_CHARS,
  nextChange,
  type RepoQuestion,
} from '#features/assistant/index.ts'
import { getModelRoutes } from '#features/models/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { SECOND } from '#lib/time.ts'
import {
  ActionButton,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  EmptyState,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  TextArea,
  WrittenText,
  type IconName,
  type Tone,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import type { Html } from '../../jsx/html.ts'
import { eventStreamResponse, KEEP_ALIVE, serverEvent } from '../../live.ts'
import { repoPath, withQuery } from '../../paths.ts'
import {
  action,
  type DirectResponse,
  page,
  redirectWithFlash,
  type Resource,
  type Visit,
} from '../../site.ts'
import { localized, t, tn } from '../../text.ts'
import { modelsPath } from '../integrations/owner.tsx'
import { markdownOf } from '../issues/conversation.tsx'
import { LongTextBody, loadLongText, rawText, type LongText } from '../writing/long-text.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'

const BASE = '/:workspace/:repo/ask'
const PER_PAGE = 20
const KEEP_ALIVE_MS = 15 * SECOND

const askPath = (repo: string, rest = ''): string => repoPath(repo, `/ask${rest}`)

type StatusStyle = { readonly icon: IconName; readonly tone: Tone; readonly label: string }

const STATUSES: Readonly<Record<RepoQuestion['status'], StatusStyle>> = localized({
  answering: { icon: 'clock', tone: 'plain', label: 'Answering' },
  answered: { icon: 'check', tone: 'good', label: 'Answered' },
  failed: { icon: 'close', tone: 'bad', label: 'Failed' },
})

const Status = ({ status }: Pick<RepoQuestion, 'status'>) => {
  const { icon, tone, label } = STATUSES[status]
  return (
    <Badge icon={icon} tone={tone}>
      {label}
    </Badge>
  )
}

/** What keeps a visitor from asking; null for nothing. */
type Hindrance = 'not_member' | 'no_model' | 'no_model_owner' | null

async function hindranceOf(visit: Visit): Promise<Hindrance> {
  const workspace = visit.params.workspace ?? ''
  const found = await visit.tryCall(getModelRoutes, { workspace })
  if (found === null) return 'not_member'
  if (found.routes.some(({ task }) => task === 'assistant' || task === 'default')) return null
  const { role } = await visit.call(getWorkspace, { workspace })
  return role === 'owner' ? 'no_model_owner' : 'no_model'
}

const Hindered = ({ visit, hindrance }: { visit: Visit; hindrance: Exclude<Hindrance, null> }) => (
  <EmptyState
    icon="info"
    title={hindrance === 'not_member' ? t('Members may ask') : t('No model answers questions yet')}
    actions={
      hindrance === 'no_model_owner' && (
        <LinkButton href={modelsPath(visit.params.workspace ?? '')}>
          {t('Choose a model')}
        </LinkButton>
      )
    }
  >
    {hindrance === 'not_member'
      ? t('Questions are answered for members of the workspace, which pays for the model.')
      : hindrance === 'no_model_owner'
        ? t('Choose a model for the assistant, or one for all tasks.')
        : t('Ask an owner of the workspace to choose a model for the assistant.')}
  </EmptyState>
)

const AskForm = ({ visit, repo }: { visit: Visit; repo: Repo }) => {
  const { values, error } = visit.form
  return (
    <Form action={askPath(repo.full_name)} csrf={visit.csrf} error={formError(visit, 'question')}>
      <TextArea
        name="question"
        label={t('Question')}
        required
        rows={3}
        maxlength={MAX_QUESTION_CHARS}
        value={error === null ? '' : values.text('question')}
        error={fieldError(visit, 'question')}
        hint={t('A model searches code, issues and documents with your rights, and cites them.')}
      />
      <FormActions>
        <Button variant="primary" icon="search">
          {t('Ask question')}
        </Button>
      </FormActions>
    </Form>
  )
}

type Listed = {
  readonly repo: Repo
  readonly hindrance: Hindrance
  readonly questions: readonly RepoQuestion[]
  readonly page: number
  readonly next: string | null
}

const QuestionRow = ({ question, now }: { question: RepoQuestion; now: number }) => (
  <Row
    title={
      <a class="row-link" href={askPath(question.repo, `/${question.id}`)}>
        {question.question.slice(0, 200)}
      </a>
    }
    meta={
      <>
        <RelativeTime at={question.created_at} now={now} />
        {question.citations.length > 0 && (
          <span>{tn('{count} source', '{count} sources', question.citations.length)}</span>
        )}
      </>
    }
    end={<Status status={question.status} />}
  />
)

const ListView = ({
  visit,
  repo,
  hindrance,
  questions,
  page,
  next,
}: Listed & { visit: Visit }): Html => (
  <RepoFrame visit={visit} repo={repo} title={t('Ask')} current="code">
    <PageHead
      title={t('Ask')}
      lead={t('Questions about {repo}. Only you see yours; they are deleted after 30 days.', {
        repo: repo.full_name,
      })}
    />
    {hindrance === null ? (
      <AskForm visit={visit} repo={repo} />
    ) : (
      <Hindered visit={visit} hindrance={hindrance} />
    )}
    {questions.length > 0 && (
      <List label={t('Your questions')}>
        {questions.map((question) => (
          <QuestionRow question={question} now={visit.hearth.clock.now()} />
        ))}
      </List>
    )}
    {hindrance === null && questions.length === 0 && (
      <EmptyState icon="search" title={t('No questions yet')}>
        {t('Ask above, such as where something is done or why it is so.')}
      </EmptyState>
    )}
    <Pager
      newer={page > 1 ? withQuery(askPath(repo.full_name), { page: page - 1 }) : null}
      older={next === null ? null : withQuery(askPath(repo.full_name), { page: Number(next) })}
    />
  </RepoFrame>
)

export const askPage = page({
  path: BASE,
  load: async (visit): Promise<Listed | null> => {
    if (visit.viewer === null) return null
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const at = pageNumber(visit)
    const { items, next } = await visit.call(listQuestions, {
      repo: repo.full_name,
      page: at,
      per_page: PER_PAGE,
    })
    return { repo, hindrance: await hindranceOf(visit), questions: items, page: at, next }
  },
  view: (shown, visit) => <ListView visit={visit} {...shown} />,
})

export const askForm = action({
  path: BASE,
  page: askPage,
  submit: async (visit, fields) => {
    const { repo, id } = await visit.call(askQuestion, {
      repo: repoOf(visit),
      question: fields.text('question'),
    })
    return redirectWithFlash(visit, askPath(repo, `/${id}`), 'question-asked')
  },
})

const target = (visit: Visit) => ({ repo: repoOf(visit), question: visit.params.question ?? '' })

const Steps = ({ steps }: Pick<RepoQuestion, 'steps'>) =>
  steps.length === 0 ? null : (
    <details class="more">
      <summary>{t('What was searched and read')}</summary>
      <ol>
        {steps.map((step) => (
          <li>
            <code>{step}</code>
          </li>
        ))}
      </ol>
    </details>
  )

const Answer = ({ visit, question, answer }: Omit<Shown, 'repo'> & { visit: Visit }) => {
  if (question.status === 'answering')
    return (
      <EmptyState
        icon="clock"
        title={t('A model is answering')}
        actions={
          <LinkButton href={askPath(question.repo, `/${question.id}`)} icon="refresh">
            {t('Refresh')}
          </LinkButton>
        }
      >
        {question.steps.at(-1) ?? t('This takes up to 5 minutes. You need not stay here.')}
      </EmptyState>
    )
  if (question.status === 'failed')
    return (
      <EmptyState
        icon="close"
        title={t('There is no answer')}
        actions={<LinkButton href={askPath(question.repo)}>{t('Ask again')}</LinkButton>}
      >
        {question.error?.message}
      </EmptyState>
    )
  return (
    <Card title={t('Answer')}>
      <LongTextBody visit={visit} text={answer} />
      {question.citations.length === 0 && (
        <p class="notice notice-bad">{t('This answer names no source. Check it yourself.')}</p>
      )}
      {question.dropped > 0 && (
        <p class="muted small">
          {tn(
            '{count} citation was struck, because it does not exist or you may not see it.',
            '{count} citations were struck, because they do not exist or you may not see them.',
            question.dropped,
          )}
        </p>
      )}
    </Card>
  )
}

type Shown = { readonly repo: Repo; readonly question: RepoQuestion; readonly answer: LongText }

const QuestionView = ({ visit, repo, question, answer }: Shown & { visit: Visit }): Html => {
  const here = askPath(repo.full_name, `/${question.id}`)
  const live =
    question.status === 'answering'
      ? {
          href: withQuery(`${here}/live`, { after: question.steps.length }),
          said: t('The answer has progressed.'),
        }
      : undefined
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Ask')} current="code" live={live}>
      <Breadcrumbs
        parts={[{ label: t('Ask'), href: askPath(repo.full_name) }, { label: t('Question') }]}
      />
      <PageHead
        title={t('Question')}
        lead={<Status status={question.status} />}
        actions={
          <ActionButton action={`${here}/delete`} csrf={visit.csrf}>
            <Button icon="trash">{t('Delete question')}</Button>
          </ActionButton>
        }
      />
      <WrittenText>{question.question}</WrittenText>
      <Answer visit={visit} question={question} answer={answer} />
      <Steps steps={question.steps} />
      {question.cost_usd !== null && <p class="muted small">{formatCost(question.cost_usd)}</p>}
    </RepoFrame>
  )
}

export const questionPage = page({
  path: `${BASE}/:question`,
  load: async (visit): Promise<Shown | DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const question = await visit.call(getQuestion, target(visit))
    const text = question.answer ?? ''
    const typed = rawText(visit, text)
    if (typed !== null) return typed
    const options = markdownOf(visit, question.repo, { kind: 'agent' })
    const here = askPath(repo.full_name, `/${question.id}`)
    return { repo, question, answer: await loadLongText(visit, text, options, here) }
  },
  view: (shown, visit) => <QuestionView visit={visit} {...shown} />,
})

export const deleteQuestionForm = action({
  path: `${BASE}/:question/delete`,
  page: questionPage,
  submit: async (visit) => {
    await visit.call(deleteQuestion, target(visit))
    return redirectWithFlash(visit, askPath(repoOf(visit)), 'question-deleted')
  },
})

/** One event when the answer got on; the page then loads itself and follows again. */
async function* follow(visit: Visit, after: number): AsyncGenerator<string> {
  const { hearth } = visit
  for (;;) {
    const waiting = AbortSignal.any([
      visit.request.signal,
      hearth.draining,
      AbortSignal.timeout(KEEP_ALIVE_MS),
    ])
    // It is followed before it is read, so that no change falls between.
    const change = nextChange(hearth, target(visit).question, waiting)
    const { status, steps } = await visit.call(getQuestion, target(visit))
    if (status !== 'answering' || steps.length > after) {
      yield serverEvent('changed', null)
      return
    }
    await change
    if (visit.request.signal.aborted || hearth.draining.aborted) return
    yield KEEP_ALIVE
  }
}

export const questionLive: Resource = {
  path: `${BASE}/:question/live`,
  async respond(first) {
    const visit = first.forStream()
    const after = Math.max(0, Number(visit.url.searchParams.get('after') ?? '0') || 0)
    const read = () => visit.call(getQuestion, target(visit))
    await read()
    return await eventStreamResponse(visit, follow(visit, after), read)
  },
}
