// The packages that a repository uses, and its bill of materials as a file.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ECOSYSTEM_NAMES,
  ECOSYSTEMS,
  getLockFiles,
  getSbom,
  listDependencies,
  listDependencyAlerts,
  type Dependency,
  type DependencyAlert,
  type Ecosystem,
  type LockFiles,
} from '#features/security/index.ts'
import {
  Badge,
  Button,
  EmptyState,
  FilterBar,
  Form,
  Icon,
  LinkButton,
  List,
  PageHead,
  Pagination,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codePath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { DirectResponse, page, type Visit } from '../../site.ts'
import { t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { dependencyAlertsPath } from './dependency-alerts.tsx'
import { SecurityFrame, securityPath } from './frame.tsx'
import { SeverityChip } from './severity.tsx'

type Filters = {
  readonly q: string
  readonly type: Ecosystem | null
  readonly direct: 'yes' | 'no' | null
}

type Shown = {
  readonly repo: Repo
  readonly items: readonly Dependency[]
  readonly total: number
  readonly page: number
  readonly files: LockFiles['files']
  readonly filters: Filters
  /** The open alerts of what is shown, the most severe first; null when the visitor may not see them. */
  readonly alerts: readonly DependencyAlert[] | null
}

const PER_PAGE = 50
/** At most so many alerts are looked up for a page. */
const MAX_ALERTS = 100
/** So many alerts of a package are named on its row. */
const MAX_NAMED_ALERTS = 3

const herePath = (repo: string, rest = ''): string => securityPath(repo, `/dependencies${rest}`)

const filtersOf = (visit: Visit): Filters => {
  const of = (name: string) => visit.url.searchParams.get(name) ?? ''
  return {
    q: of('q').slice(0, 200),
    type: ECOSYSTEMS.find((one) => one === of('type')) ?? null,
    direct: (['yes', 'no'] as const).find((one) => one === of('direct')) ?? null,
  }
}

const isAbout =
  ({ type, name, version, manifest }: Dependency) =>
  (alert: DependencyAlert): boolean =>
    alert.package.type === type &&
    alert.package.name === name &&
    alert.package.version === version &&
    alert.manifest === manifest

/** Names the advisories of a package, each with the way to its alert. */
const AlertLinks = ({ repo, alerts }: { repo: Repo; alerts: readonly DependencyAlert[] }) => (
  <>
    {alerts.length > MAX_NAMED_ALERTS && (
      <span>
        <a href={dependencyAlertsPath(repo.full_name)}>
          {tn('{count} open alert', '{count} open alerts', alerts.length)}
        </a>
      </span>
    )}
    {alerts.slice(0, MAX_NAMED_ALERTS).map(({ id, advisory }) => (
      <span>
        <a href={dependencyAlertsPath(repo.full_name, `/${id}`)} title={advisory.summary}>
          {advisory.id}
        </a>
      </span>
    ))}
  </>
)

const DependencyRow = ({
  repo,
  one,
  alerts,
}: {
  repo: Repo
  one: Dependency
  alerts: readonly DependencyAlert[]
}) => (
  <Row
    mark={alerts.length > 0 && <Icon name="warning" />}
    title={
      <>
        <code>{one.name}</code> {one.version}
      </>
    }
    meta={
      <>
        <span>{ECOSYSTEM_NAMES[one.type]}</span>
        <span>
          <a href={codePath(repo.full_name, 'blob', repo.default_branch, one.manifest)}>
            {one.manifest}
          </a>
        </span>
        {one.license !== null && <span>{one.license}</span>}
        {one.direct === false && <span>{t('Transitive')}</span>}
        <AlertLinks repo={repo} alerts={alerts} />
      </>
    }
    end={
      <>
        {alerts[0]?.advisory.severity && <SeverityChip severity={alerts[0].advisory.severity} />}
        {one.direct === true && <Badge>{t('Direct')}</Badge>}
        {one.scope === 'development' && <Badge>{t('Development')}</Badge>}
      </>
    }
  />
)

type At = (change: Partial<Record<'q' | 'type' | 'direct' | 'page', string | number>>) => string

const Search = ({ repo, filters }: { repo: Repo; filters: Filters }) => (
  <Form action={herePath(repo.full_name)} method="get" inline label={t('Find a dependency')}>
    {filters.type !== null && <input type="hidden" name="type" value={filters.type} />}
    {filters.direct !== null && <input type="hidden" name="direct" value={filters.direct} />}
    <input
      class="input"
      type="search"
      name="q"
      value={filters.q}
      aria-label={t('Name of a package')}
      placeholder={t('Name of a package')}
    />
    <Button>{t('Find')}</Button>
  </Form>
)

const FilterBars = ({ repo, filters, at }: { repo: Repo; filters: Filters; at: At }) => (
  <FilterBar
    label={t('Dependencies by kind')}
    filters={[
      { label: t('All'), href: at({ direct: undefined }), current: filters.direct === null },
      { label: t('Direct'), href: at({ direct: 'yes' }), current: filters.direct === 'yes' },
      { label: t('Transitive'), href: at({ direct: 'no' }), current: filters.direct === 'no' },
    ]}
  >
    <Search repo={repo} filters={filters} />
  </FilterBar>
)

const Faults = ({ files }: { files: LockFiles['files'] }) => {
  const faulty = files.filter(({ fault }) => fault !== null)
  if (faulty.length === 0) return null
  return (
    <List label={t('Lock files that cannot be read')}>
      {faulty.map(({ path, fault }) => (
        <Row title={<code>{path}</code>} meta={<span>{fault}</span>} />
      ))}
    </List>
  )
}

const NoDependencies = ({ isFiltered, all }: { isFiltered: boolean; all: string }) =>
  isFiltered ? (
    <EmptyState
      icon="search"
      title={t('Nothing matches')}
      actions={<LinkButton href={all}>{t('Show all dependencies')}</LinkButton>}
    />
  ) : (
    <EmptyState icon="package" title={t('No dependencies')}>
      {t(
        'Commit a lock file, such as package-lock.json, Cargo.lock, go.mod, poetry.lock or pom.xml, and its packages are listed here.',
      )}
    </EmptyState>
  )

const SbomLinks = ({ repo }: { repo: Repo }) => (
  <>
    <LinkButton href={herePath(repo.full_name, '/sbom')}>{t('Download SPDX')}</LinkButton>
    <LinkButton href={withQuery(herePath(repo.full_name, '/sbom'), { format: 'cyclonedx' })}>
      {t('Download CycloneDX')}
    </LinkButton>
  </>
)

const DependenciesView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, items, filters, total, files } = shown
  const at: At = (change) =>
    withQuery(herePath(repo.full_name), {
      q: filters.q || undefined,
      type: filters.type ?? undefined,
      direct: filters.direct ?? undefined,
      ...change,
    })
  const isFiltered = filters.q !== '' || filters.type !== null || filters.direct !== null
  const packages = files.reduce((sum, file) => sum + file.packages, 0)
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={t('Dependencies')}
      current="dependencies"
      seesFindings={shown.alerts !== null || repo.permissions.write}
    >
      <PageHead
        title={t('Dependencies')}
        lead={
          packages > 0
            ? tn(
                'The packages in {count} lock file of the default branch.',
                'The packages in {count} lock files of the default branch.',
                files.length,
              )
            : t('The packages that this repository uses.')
        }
        actions={packages > 0 && <SbomLinks repo={repo} />}
      />
      {packages > 0 && <FilterBars repo={repo} filters={filters} at={at} />}
      <Faults files={files} />
      {items.length === 0 ? (
        <NoDependencies isFiltered={isFiltered} all={herePath(repo.full_name)} />
      ) : (
        <List label={t('Dependencies')}>
          {items.map((one) => (
            <DependencyRow
              repo={repo}
              one={one}
              alerts={(shown.alerts ?? []).filter(isAbout(one))}
            />
          ))}
        </List>
      )}
      <Pagination
        page={shown.page}
        perPage={PER_PAGE}
        total={total}
        href={(page) => at({ page: page > 1 ? page : undefined })}
      />
    </SecurityFrame>
  )
}

export const dependenciesPage = page({
  path: '/:workspace/:repo/security/dependencies',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const filters = filtersOf(visit)
    const page = pageNumber(visit)
    const { items, total = 0 } = await visit.call(listDependencies, {
      repo: repo.full_name,
      page,
      per_page: PER_PAGE,
      query: filters.q,
      ...(filters.type === null ? {} : { type: filters.type }),
      ...(filters.direct === null ? {} : { direct: filters.direct === 'yes' }),
    })
    const { files } = await visit.call(getLockFiles, { repo: repo.full_name })
    // Not everybody who may read a repository may read its alerts.
    const alerts = await visit.tryCall(listDependencyAlerts, {
      repo: repo.full_name,
      state: 'open',
      packages: [...new Set(items.map(({ name }) => name))],
      per_page: MAX_ALERTS,
    })
    return { repo, items, total, page, files, filters, alerts: alerts?.items ?? null }
  },
  view: (shown, visit) => <DependenciesView visit={visit} {...shown} />,
})

/** The bill of materials as a file. Validators of SPDX know its format by the end of its name. */
export const sbomPage = page({
  path: '/:workspace/:repo/security/dependencies/sbom',
  load: async (visit): Promise<DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const isCyclonedx = visit.url.searchParams.get('format') === 'cyclonedx'
    const format = isCyclonedx ? 'cyclonedx' : 'spdx'
    const document = await visit.call(getSbom, { repo: repo.full_name, format })
    const end = isCyclonedx ? 'cdx.json' : 'spdx.json'
    return new DirectResponse(
      new Response(`${JSON.stringify(document, null, 2)}\n`, {
        headers: {
          'content-type': isCyclonedx
            ? 'application/vnd.cyclonedx+json; version=1.6'
            : 'application/spdx+json',
          'content-disposition': `attachment; filename="${repo.name}.${end}"`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-cache',
        },
      }),
    )
  },
  view: () => {
    throw new TypeError('a file has no view')
  },
})
