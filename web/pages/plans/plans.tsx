// The plans of a repository, and the form for a new one.
import {
  listPlans,
  PLAN_STATUSES,
  planWork,
  type Plan,
  type PlanStatus,
} from '#features/plans/index.ts'
import { getModelRoutes } from '#features/models/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  ActorLink,
  Button,
  Card,
  EmptyState,
  FilterBar,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  TextArea,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { t, tn } from '../../text.ts'
import { modelsPath } from '../integrations/owner.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { PlanBadge, STATUS_LABELS } from './plan-status.tsx'

type Shown = {
  readonly repo: Repo
  readonly plans: readonly Plan[]
  readonly status: PlanStatus | null
  readonly page: number
  readonly next: string | null
  /** Who can choose the model that plans lack; null when there is one, or none is needed. */
  readonly lacksModel: 'own' | 'others' | null
}

async function lacksModelIn(visit: Visit, workspace: string): Promise<Shown['lacksModel']> {
  const found = await visit.tryCall(getModelRoutes, { workspace })
  // Only members see the models.
  if (found === null || found.routes.some(({ task }) => task === 'plan' || task === 'default'))
    return null
  const { role } = await visit.call(getWorkspace, { workspace })
  return role === 'owner' ? 'own' : 'others'
}

const NoModel = ({ workspace, isOwner }: { workspace: string; isOwner: boolean }) => (
  <p class="muted">
    {t('No model makes plans yet, so enter the issues yourself.')}{' '}
    {isOwner ? (
      <a href={modelsPath(workspace)}>{t('Choose a model')}</a>
    ) : (
      t('An owner of {workspace} can choose one.', { workspace })
    )}
  </p>
)

export const planPath = (repo: string, id: string, rest = ''): string =>
  repoPath(repo, `/plans/${encodeURIComponent(id)}${rest}`)

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/^#+\s*/, '')

const PlanRow = ({ plan, now }: { plan: Plan; now: number }) => (
  <Row
    title={
      <a class="row-link" href={planPath(plan.repo, plan.id)}>
        {firstLine(plan.brief).slice(0, 200)}
      </a>
    }
    meta={
      <>
        <span>
          <ActorLink of={plan.created_by} face={false} />
        </span>
        <span>
          <RelativeTime at={plan.created_at} now={now} />
        </span>
        {plan.issues.length > 0 && (
          <span>{tn('{count} issue', '{count} issues', plan.issues.length)}</span>
        )}
      </>
    }
    end={<PlanBadge status={plan.status} />}
  />
)

const NewPlan = ({
  visit,
  repo,
  lacksModel,
}: Pick<Shown, 'repo' | 'lacksModel'> & { visit: Visit }) => {
  const { values, error } = visit.form
  return (
    <Card title={t('New plan')} id="new">
      <Form
        action={repoPath(repo.full_name, '/plans')}
        csrf={visit.csrf}
        error={formError(visit, 'brief', 'titles')}
      >
        <TextArea
          name="brief"
          label={t('Brief')}
          required
          rows={4}
          maxlength={20_000}
          value={error === null ? '' : values.text('brief')}
          error={fieldError(visit, 'brief')}
          hint={t('What should be reached, and what must not change.')}
        />
        {lacksModel !== null && (
          <NoModel workspace={repo.workspace} isOwner={lacksModel === 'own'} />
        )}
        <TextArea
          name="titles"
          label={t('Issues')}
          rows={4}
          required={lacksModel !== null}
          value={error === null ? '' : values.text('titles')}
          error={fieldError(visit, 'titles')}
          hint={
            lacksModel === null
              ? t(
                  'One title a line; each waits for the one above it until you change that. Left empty, the model for planning makes them.',
                )
              : t('One title a line; each waits for the one above it until you change that.')
          }
        />
        <FormActions>
          <Button variant="primary" icon="plan">
            {t('Create plan')}
          </Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const PlansView = ({
  visit,
  repo,
  plans,
  status,
  page,
  next,
  lacksModel,
}: Shown & { visit: Visit }): Html => {
  const at = (change: { status?: PlanStatus; page?: number }) =>
    withQuery(repoPath(repo.full_name, '/plans'), { status: status ?? undefined, ...change })
  const mayPlan = repo.permissions.write && !repo.archived
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Plans')} current="issues">
      <PageHead
        title={t('Plans')}
        lead={t('Work broken into issues and their order, before any of them is opened.')}
        actions={
          <LinkButton href={repoPath(repo.full_name, '/issues')} icon="issue">
            {t('Issues')}
          </LinkButton>
        }
      />
      <FilterBar
        label={t('Plans by status')}
        filters={[
          { label: t('All'), href: at({ status: undefined }), current: status === null },
          ...PLAN_STATUSES.map((one) => ({
            label: STATUS_LABELS[one],
            href: at({ status: one }),
            current: status === one,
          })),
        ]}
      />
      {plans.length === 0 ? (
        <EmptyState icon="plan" title={status === null ? t('No plans yet') : t('No plan matches')}>
          {mayPlan
            ? t(
                'Describe below what should be reached. Nothing is opened before you apply the plan.',
              )
            : t('Those with the role Write plan work here.')}
        </EmptyState>
      ) : (
        <List label={t('Plans')}>
          {plans.map((plan) => (
            <PlanRow plan={plan} now={visit.hearth.clock.now()} />
          ))}
        </List>
      )}
      <Pager
        newer={page > 1 ? at({ page: page - 1 }) : null}
        older={next === null ? null : at({ page: page + 1 })}
        label={t('Plans')}
      />
      {mayPlan && <NewPlan visit={visit} repo={repo} lacksModel={lacksModel} />}
    </RepoFrame>
  )
}

export const plansPage = page({
  path: '/:workspace/:repo/plans',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { searchParams } = visit.url
    const number = pageNumber(visit)
    const status = PLAN_STATUSES.find((one) => one === searchParams.get('status')) ?? null
    const { items, next } = await visit.call(listPlans, {
      repo: repo.full_name,
      status: status ?? undefined,
      page: number,
    })
    const lacksModel = repo.permissions.write ? await lacksModelIn(visit, repo.workspace) : null
    return { repo, plans: items, status, page: number, next, lacksModel }
  },
  view: (shown, visit) => <PlansView visit={visit} {...shown} />,
})

export const newPlanForm = action({
  path: '/:workspace/:repo/plans',
  page: plansPage,
  submit: async (visit, fields) => {
    const titles = fields.list('titles')
    const plan = await visit.call(planWork, {
      repo: repoOf(visit),
      brief: fields.text('brief'),
      ...(titles.length === 0
        ? {}
        : {
            issues: titles.map((title, at) => ({ title, depends_on: at === 0 ? [] : [at] })),
          }),
    })
    return redirectWithFlash(visit, planPath(plan.repo, plan.id), 'plan-created')
  },
})
