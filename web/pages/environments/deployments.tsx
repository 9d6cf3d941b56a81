// What is deployed where, what waits, and who decided.
import {
  DEPLOYMENT_STATES,
  listDeployments,
  listEnvironments,
  reviewDeployment,
  VERDICTS,
  type Deployment,
  type DeploymentState,
  type Environment,
} from '#features/environments/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  Columns,
  EmptyState,
  FilterBar,
  FormError,
  LinkButton,
  PageHead,
  Pager,
  SideNav,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { DeploymentList, STATE_LABELS } from './deployment-list.tsx'

type Shown = {
  readonly repo: Repo
  readonly environments: readonly Environment[]
  readonly deployments: readonly Deployment[]
  readonly next: string | null
  readonly page: number
  readonly environment: string | null
  readonly state: DeploymentState | null
}

const FILTERED: readonly DeploymentState[] = ['waiting', 'success', 'failure', 'rejected']

const Empty = ({ repo }: { repo: Repo }) => (
  <EmptyState icon="upload" title={t('No deployments yet')}>
    {rich('Jobs with {code} deploy to that environment and are listed here.', {
      code: <code>environment: production</code>,
    })}{' '}
    {repo.permissions.admin && (
      <a href={repoPath(repo.full_name, '/settings/environments')}>{t('Protect an environment')}</a>
    )}
  </EmptyState>
)

const NoneMatches = ({ repo }: { repo: Repo }) => (
  <EmptyState
    icon="upload"
    title={t('No deployments match')}
    actions={
      <LinkButton href={repoPath(repo.full_name, '/deployments')}>{t('Clear filters')}</LinkButton>
    }
  />
)

const StateFilters = ({
  state,
  at,
}: {
  state: DeploymentState | null
  at: (change: { state?: string }) => string
}) => (
  <FilterBar
    label={t('Deployments by state')}
    filters={[
      { label: t('All'), href: at({ state: undefined }), current: state === null },
      ...FILTERED.map((one) => ({
        label: STATE_LABELS[one],
        href: at({ state: one }),
        current: state === one,
      })),
    ]}
  />
)

const DeploymentsView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, environments, deployments, environment, state } = shown
  const at = (change: { environment?: string; state?: string; page?: number }) =>
    withQuery(repoPath(repo.full_name, '/deployments'), {
      environment: environment ?? undefined,
      state: state ?? undefined,
      ...change,
    })
  const tab = (label: string, name: string | null) => ({
    label,
    href: at({ environment: name ?? undefined }),
    current: environment?.toLowerCase() === name?.toLowerCase(),
  })
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Deployments')} current="runs">
      <Columns
        side={
          <SideNav
            label={t('Environments')}
            groups={[
              {
                tabs: [
                  tab(t('All environments'), null),
                  ...environments.map(({ name }) => tab(name, name)),
                ],
              },
            ]}
          />
        }
      >
        <PageHead
          title={t('Deployments')}
          lead={t('What jobs deployed where, what waits, and who approved it.')}
        />
        {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
        <StateFilters state={state} at={at} />
        {deployments.length > 0 ? (
          <DeploymentList visit={visit} repo={repo.full_name} deployments={deployments} />
        ) : environment === null && state === null ? (
          <Empty repo={repo} />
        ) : (
          <NoneMatches repo={repo} />
        )}
        <Pager
          newer={shown.page > 1 ? at({ page: shown.page - 1 }) : null}
          older={shown.next === null ? null : at({ page: shown.page + 1 })}
          label={t('Deployments')}
        />
      </Columns>
    </RepoFrame>
  )
}

export const deploymentsPage = page({
  path: '/:workspace/:repo/deployments',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { searchParams } = visit.url
    const number = pageNumber(visit)
    const environment = searchParams.get('environment')?.slice(0, 255) || null
    const state = DEPLOYMENT_STATES.find((one) => one === searchParams.get('state')) ?? null
    const { items, next } = await visit.call(listDeployments, {
      repo: repo.full_name,
      environment: environment ?? undefined,
      state: state ?? undefined,
      page: number,
    })
    const environments = await visit.call(listEnvironments, { repo: repo.full_name })
    return {
      repo,
      environments: environments.items,
      deployments: items,
      next,
      page: number,
      environment,
      state,
    }
  },
  view: (shown, visit) => <DeploymentsView visit={visit} {...shown} />,
})

export const reviewForm = action({
  path: '/:workspace/:repo/deployments/:deployment/review',
  page: deploymentsPage,
  submit: async (visit, fields) => {
    const verdict = VERDICTS.find((one) => one === fields.text('verdict')) ?? 'reject'
    const { run } = await visit.call(reviewDeployment, {
      repo: repoOf(visit),
      id: visit.params.deployment ?? '',
      verdict,
      comment: fields.optional('comment') ?? null,
    })
    const flash = verdict === 'approve' ? 'deployment-approved' : 'deployment-rejected'
    return redirectWithFlash(visit, repoPath(repoOf(visit), `/runs/${run}`), flash)
  },
})
