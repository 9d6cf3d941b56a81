// One plan: its issues in the order of their dependencies, and the forms that change and apply it.
import {
  applyPlan,
  deletePlan,
  getPlan,
  SIZES,
  updatePlan,
  type Plan,
  type PlanIssue,
} from '#features/plans/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  ActorLink,
  Breadcrumbs,
  Button,
  Card,
  Checkbox,
  EmptyState,
  Form,
  FormActions,
  FormError,
  LinkButton,
  PageHead,
  RelativeTime,
  WrittenText,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import type { Html } from '../../jsx/html.ts'
import { eventStreamResponse, watchState } from '../../live.ts'
import { repoPath } from '../../paths.ts'
import {
  action,
  page,
  redirectWithFlash,
  type Fields,
  type Resource,
  type Visit,
} from '../../site.ts'
import { rich, t } from '../../text.ts'
import { loadAgentReadiness, NoModel, type AgentReadiness } from '../issues/assign-agent.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { AddIssue, editedIssue, IssueForm } from './issue-forms.tsx'
import { PlanTree } from './plan-tree.tsx'
import { PlanBadge } from './plan-status.tsx'
import { planPath } from './plans.tsx'

type Shown = {
  readonly repo: Repo
  readonly plan: Plan
  /** Null for visitors who cannot assign issues. */
  readonly agent: AgentReadiness | null
}
type ViewProps = Shown & { visit: Visit }

const planOf = (visit: Visit) => ({ repo: repoOf(visit), plan: visit.params.plan ?? '' })

const here = (visit: Visit, rest = ''): string => {
  const { repo, plan } = planOf(visit)
  return planPath(repo, plan, rest)
}

const Facts = ({ visit, plan }: ViewProps) => (
  <p class="row-meta">
    <PlanBadge status={plan.status} />
    <span>
      {rich('{actor} planned this {time}', {
        actor: <ActorLink of={plan.created_by} face={false} />,
        time: <RelativeTime at={plan.created_at} now={visit.hearth.clock.now()} />,
      })}
    </span>
    {plan.applied_at !== null && (
      <span>
        {rich('{actor} applied it {time}', {
          actor: <ActorLink of={plan.applied_by} face={false} />,
          time: <RelativeTime at={plan.applied_at} now={visit.hearth.clock.now()} />,
        })}
      </span>
    )}
    {plan.cost_usd !== null && <span>{formatCost(plan.cost_usd)}</span>}
  </p>
)

const Brief = ({ plan }: { plan: Plan }) => (
  <Card title={t('Brief')}>
    <WrittenText>{plan.brief}</WrittenText>
    {plan.summary !== null && <WrittenText>{plan.summary}</WrittenText>}
    {plan.questions.length > 0 && (
      <>
        <h3>{t('Open questions')}</h3>
        <ul>
          {plan.questions.map((question) => (
            <li>
              <WrittenText>{question}</WrittenText>
            </li>
          ))}
        </ul>
      </>
    )}
  </Card>
)

/** The issues with a tick each, and the button that opens them. */
const ApplyForm = ({ visit, repo, plan, agent }: ViewProps) => (
  <Card title={t('Issues')}>
    <Form action={here(visit, '/apply')} csrf={visit.csrf} label={t('Apply plan')}>
      <PlanTree repo={repo} plan={plan} choice />
      {agent?.hasModel === false ? (
        <NoModel workspace={repo.workspace} isOwner={agent.isOwner} />
      ) : (
        <Checkbox
          name="assign"
          label={t('The built-in agent works on them, each when nothing blocks it any more')}
          checked={visit.form.values.ticked('assign')}
        />
      )}
      <FormActions>
        <Button variant="primary" icon="check">
          {t('Apply plan')}
        </Button>
      </FormActions>
    </Form>
  </Card>
)

const State = ({ visit, plan }: ViewProps) => {
  if (plan.status === 'planning')
    return (
      <EmptyState
        icon="clock"
        title={t('A model is making this plan')}
        actions={
          <LinkButton href={here(visit)} icon="refresh">
            {t('Refresh')}
          </LinkButton>
        }
      >
        {t('This takes up to 15 minutes. You need not stay here.')}
      </EmptyState>
    )
  if (plan.status === 'failed')
    return (
      <EmptyState
        icon="close"
        title={t('This plan failed')}
        actions={
          <LinkButton href={repoPath(plan.repo, '/plans#new')} icon="plan">
            {t('New plan')}
          </LinkButton>
        }
      >
        {plan.error?.message}
      </EmptyState>
    )
  return null
}

/** While a model makes it, the page follows. */
const liveOf = (visit: Visit, { status }: Plan) =>
  status === 'planning'
    ? { href: here(visit, '/live'), said: t('The model has ended its work on this plan.') }
    : undefined

const mayChangePlan = ({ permissions, archived }: Repo): boolean => permissions.write && !archived

const EditView = ({ visit, repo, issue }: ViewProps & { issue: PlanIssue }): Html => {
  const title = t('Edit issue {position}', { position: issue.position })
  return (
    <RepoFrame visit={visit} repo={repo} title={title} current="issues">
      <Breadcrumbs parts={[{ label: t('Plan'), href: here(visit) }, { label: title }]} />
      <PageHead title={title} />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      <IssueForm visit={visit} action={here(visit, '/issues')} issue={issue} />
    </RepoFrame>
  )
}

const PlanView = (props: ViewProps): Html => {
  const { visit, repo, plan } = props
  const mayChange = mayChangePlan(repo)
  const isReady = plan.status === 'ready' && mayChange
  const edited = isReady ? editedIssue(visit, plan) : null
  if (edited !== null) return <EditView {...props} issue={edited} />
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Plan')}
      current="issues"
      live={liveOf(visit, plan)}
    >
      <PageHead
        title={t('Plan')}
        actions={
          <>
            <LinkButton href={repoPath(repo.full_name, '/plans')} icon="plan">
              {t('All plans')}
            </LinkButton>
            {mayChange && plan.status !== 'applied' && (
              <ActionButton action={here(visit, '/delete')} csrf={visit.csrf}>
                <Button variant="danger" icon="trash">
                  {t('Delete plan')}
                </Button>
              </ActionButton>
            )}
          </>
        }
      />
      <Facts {...props} />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      <Brief plan={plan} />
      <State {...props} />
      {isReady ? (
        <ApplyForm {...props} />
      ) : (
        plan.issues.length > 0 && (
          <Card title={t('Issues')}>
            <PlanTree repo={repo} plan={plan} />
          </Card>
        )
      )}
      {isReady && <AddIssue visit={visit} action={here(visit, '/issues')} />}
    </RepoFrame>
  )
}

export const planPage = page({
  path: '/:workspace/:repo/plans/:plan',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const plan = await visit.call(getPlan, planOf(visit))
    return { repo, plan, agent: await loadAgentReadiness(visit, repo) }
  },
  view: (shown, visit) => <PlanView visit={visit} {...shown} />,
})

/** A plan is made in minutes, and there is no event for its end. */
const WAIT_MS = 2_000

export const planLive: Resource = {
  path: '/:workspace/:repo/plans/:plan/live',
  async respond(first) {
    const visit = first.forStream()
    const read = () => visit.call(getPlan, planOf(visit))
    const state = async () => (await read()).status
    const events = watchState(visit, 'planning', state, () => false, WAIT_MS)
    return await eventStreamResponse(visit, events, read)
  },
}

const positionsIn = (text: string): number[] =>
  text
    .split(/[,\s]+/)
    .filter((word) => word !== '')
    .map(Number)

/** The issue that a form describes, at a position. */
const issueIn = (fields: Fields, position: number): Partial<PlanIssue> & { title: string } => ({
  position,
  title: fields.text('title'),
  body: fields.text('body'),
  labels: fields.list('labels', ','),
  checks: fields.list('checks'),
  depends_on: positionsIn(fields.text('depends_on')),
  paths: fields.list('paths', /[,\r\n]/),
  size: SIZES.find((one) => one === fields.text('size')) ?? 'medium',
})

/** The issues of a plan after a form was sent: one is added, changed or removed. */
function changedIssues(plan: Plan, fields: Fields): (Partial<PlanIssue> & { title: string })[] {
  const position = Number(fields.text('position'))
  if (position === 0) return [...plan.issues, issueIn(fields, plan.issues.length + 1)]
  if (fields.text('do') === 'remove')
    return plan.issues
      .filter((issue) => issue.position !== position)
      .map((issue) => ({
        ...issue,
        depends_on: issue.depends_on.filter((one) => one !== position),
      }))
  return plan.issues.map((issue) =>
    issue.position === position ? issueIn(fields, position) : issue,
  )
}

export const planForms = [
  action({
    path: '/:workspace/:repo/plans/:plan/issues',
    page: planPage,
    submit: async (visit, fields) => {
      const plan = await visit.call(getPlan, planOf(visit))
      await visit.call(updatePlan, { ...planOf(visit), issues: changedIssues(plan, fields) })
      return redirectWithFlash(visit, here(visit), 'plan-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/plans/:plan/apply',
    page: planPage,
    submit: async (visit, fields) => {
      await visit.call(applyPlan, {
        ...planOf(visit),
        keep: fields.all('keep').map(Number),
        assign: fields.ticked('assign'),
      })
      return redirectWithFlash(visit, here(visit), 'plan-applied')
    },
  }),
  action({
    path: '/:workspace/:repo/plans/:plan/delete',
    page: planPage,
    submit: async (visit) => {
      await visit.call(deletePlan, planOf(visit))
      return redirectWithFlash(visit, repoPath(repoOf(visit), '/plans'), 'plan-deleted')
    },
  }),
]
