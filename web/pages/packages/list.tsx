// The packages of a workspace, and those that are linked to a repository.
import {
  listPackages,
  parsePackageType,
  publishingSteps,
  type Package,
  type PackageType,
  type PublishingSteps,
  typeName,
} from '#features/packages/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { getUsage } from '#features/site/index.ts'
import {
  Button,
  EmptyState,
  FilterBar,
  Form,
  LinkButton,
  PageHead,
  Pagination,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { repoPath, withQuery, workspacePath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { WorkspaceFrame, type WorkspaceSummary } from '../workspaces/frame.tsx'
import { NoPackages, PackageList, PublishingGuide } from './package-parts.tsx'
import { workspaceSummary } from './workspace-summary.ts'

const PER_PAGE = 30

type Filters = { q: string; type: PackageType | null; deleted: boolean }

const filtersOf = (visit: Visit): Filters => ({
  q: (visit.url.searchParams.get('q') ?? '').slice(0, 200),
  type: parsePackageType(visit.url.searchParams.get('type') ?? ''),
  deleted: visit.url.searchParams.get('state') === 'deleted',
})

const Search = ({ here, q, type }: { here: string; q: string; type: string | null }) => (
  <Form action={here} method="get" inline label={t('Find a package')}>
    {type !== null && <input type="hidden" name="type" value={type} />}
    <input
      class="input"
      type="search"
      name="q"
      value={q}
      aria-label={t('Name or description')}
      placeholder={t('Name or description')}
    />
    <Button>{t('Find')}</Button>
  </Form>
)

const Filter = ({
  workspace,
  steps,
  filters: { q, type, deleted },
}: {
  workspace: WorkspaceSummary
  steps: readonly PublishingSteps[]
  filters: Filters
}) => {
  const here = workspacePath(workspace.slug, 'packages')
  const query = { q: q || undefined }
  return (
    <FilterBar
      label={t('Type')}
      filters={[
        {
          label: t('All types'),
          href: withQuery(here, { q: query.q }),
          current: type === null && !deleted,
        },
        ...steps.map((step) => ({
          label: typeName(step.type),
          href: withQuery(here, { q: query.q, type: step.type }),
          current: type === step.type && !deleted,
        })),
        ...(workspace.role === null
          ? []
          : [
              {
                label: t('Deleted'),
                href: withQuery(here, { state: 'deleted' }),
                current: deleted,
              },
            ]),
      ]}
    >
      <Search here={here} q={q} type={type} />
    </FilterBar>
  )
}

/** What the packages of the workspace take, deleted ones included, and what they may. */
const StorageUsed = ({ used, limit }: { used: number; limit: number | null }) => (
  <p class="muted small">
    {limit === null
      ? t('{used} used', { used: bytesText(used) })
      : t('{used} of {limit} used', { used: bytesText(used), limit: bytesText(limit) })}
  </p>
)

const Found = ({
  items,
  filters: { q, type, deleted },
  isMember,
  here,
}: {
  items: readonly Package[]
  filters: Filters
  isMember: boolean
  here: string
}) => {
  if (items.length > 0) return <PackageList items={items} />
  if (deleted)
    return (
      <EmptyState icon="trash" title={t('No deleted packages')}>
        {t('Deleted packages that you are admin of can be restored here for 30 days.')}
      </EmptyState>
    )
  if (type === 'go')
    return (
      <EmptyState icon="tag" title={t('Go modules come from tags')}>
        {t(
          'Push a tag such as v1.0.0 to a repository with a go.mod. Nothing is uploaded: the lines under Publish a package say how to get it.',
        )}
      </EmptyState>
    )
  if (type !== null && q === '' && isMember)
    return (
      <EmptyState icon="package" title={t('No {type} packages yet', { type: typeName(type) })}>
        {t('Publish the first one with the lines below.')}
      </EmptyState>
    )
  if (q !== '' || type !== null)
    return (
      <EmptyState
        icon="search"
        title={t('Nothing matches')}
        actions={<LinkButton href={here}>{t('Show all packages')}</LinkButton>}
      />
    )
  return (
    <NoPackages>
      {t('Publish one with the client that you have. It is private until you say otherwise.')}
    </NoPackages>
  )
}

export const packagesPage = page({
  path: '/:workspace/-/packages',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const filters = filtersOf(visit)
    const number = pageNumber(visit)
    const { q, type, deleted } = filters
    const [workspace, usage, packages] = await Promise.all([
      workspaceSummary(visit, slug),
      visit.viewer === null ? null : visit.tryCall(getUsage, { workspace: slug }),
      visit.call(listPackages, {
        workspace: slug,
        page: number,
        per_page: PER_PAGE,
        ...(q !== '' && { q }),
        ...(type !== null && { package_type: type }),
        ...(deleted && { state: 'deleted' as const }),
      }),
    ])
    // A workspace without anything to see does not exist for others.
    if (workspace.role === null && packages.items.length === 0 && q === '' && type === null)
      return null
    return { workspace, packages, filters, number, usage: usage?.packages_bytes ?? null }
  },
  view: ({ workspace, packages, usage, filters, number }, visit) => {
    const { q, type, deleted } = filters
    const here = workspacePath(workspace.slug, 'packages')
    const query = { q: q || undefined, type: type ?? undefined }
    const steps = publishingSteps(visit.hearth, workspace.slug)
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('Packages of {name}', { name: workspace.name })}
        current="packages"
      >
        <PageHead
          title={t('Packages')}
          lead={t('What this workspace publishes for package managers.')}
          actions={
            workspace.role === 'owner' ? (
              <>
                <LinkButton href={workspacePath(workspace.slug, 'packages/upstreams')}>
                  {t('Upstreams')}
                </LinkButton>
                <LinkButton href={workspacePath(workspace.slug, 'packages/retention')}>
                  {t('Retention')}
                </LinkButton>
              </>
            ) : undefined
          }
        />
        {usage !== null && <StorageUsed {...usage} />}
        <Filter workspace={workspace} steps={steps} filters={filters} />
        <Found
          items={packages.items}
          filters={filters}
          isMember={workspace.role !== null}
          here={here}
        />
        <Pagination
          page={number}
          perPage={PER_PAGE}
          total={packages.total ?? 0}
          href={(page) =>
            withQuery(here, {
              ...query,
              state: deleted ? 'deleted' : undefined,
              page: page > 1 ? page : undefined,
            })
          }
        />
        {workspace.role !== null && <PublishingGuide steps={steps} only={type} />}
      </WorkspaceFrame>
    )
  },
})

export const repoPackagesPage = page({
  path: '/:workspace/:repo/packages',
  load: async (visit) => {
    const number = pageNumber(visit)
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const packages = await visit.call(listPackages, {
      workspace: repo.workspace,
      repo: repo.full_name,
      page: number,
      per_page: PER_PAGE,
    })
    return { repo, packages, number }
  },
  view: ({ repo, packages, number }, visit) => {
    const here = repoPath(repo.full_name, '/packages')
    const steps = publishingSteps(visit.hearth, repo.workspace)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Packages')} current="code">
        <PageHead
          title={t('Packages')}
          lead={t('Packages that are linked to this repository have its visibility and roles.')}
          actions={
            <LinkButton href={workspacePath(repo.workspace, 'packages')} icon="package">
              {t('All packages of {name}', { name: repo.workspace })}
            </LinkButton>
          }
        />
        {packages.items.length > 0 ? (
          <PackageList items={packages.items} />
        ) : (
          <NoPackages>
            {t(
              'A package that a workflow of this repository publishes is linked to it. Others are linked on the page of the package.',
            )}
          </NoPackages>
        )}
        <Pagination
          page={number}
          perPage={PER_PAGE}
          total={packages.total ?? 0}
          href={(page) => withQuery(here, { page: page > 1 ? page : undefined })}
        />
        {repo.permissions.write && <PublishingGuide steps={steps} />}
      </RepoFrame>
    )
  },
})
