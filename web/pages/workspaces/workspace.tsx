import { getUser } from '#features/accounts/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { listRepos, listUserRepos, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  Button,
  EmptyState,
  Field,
  FilterBar,
  Form,
  LinkButton,
  LinkPicker,
  List,
  Pager,
  RepoRow,
} from '../../components/index.ts'
import { withQuery, workspacePath } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { DirectResponse, page, redirect, type Visit } from '../../site.ts'
import { WorkspaceFrame, type WorkspaceSummary } from './frame.tsx'
import { ContributionYear } from './contributions.tsx'
import { PersonView } from './person.tsx'
import { rich, t, texts } from '../../text.ts'

const SORTINGS = ['pushed', 'name', 'created'] as const
type Sorting = (typeof SORTINGS)[number]
const SORTING_LABELS: Record<Sorting, string> = texts({
  pushed: 'Recently pushed',
  name: 'Name',
  created: 'Newest',
})

/** What the address narrows the list of repositories to. */
type Narrowing = { readonly q: string; readonly archived: boolean; readonly sort: Sorting }

function readNarrowing({ searchParams }: URL): Narrowing {
  const sort = searchParams.get('sort')
  return {
    q: (searchParams.get('q') ?? '').trim().slice(0, 200),
    archived: searchParams.get('archived') === '1',
    sort: SORTINGS.find((one) => one === sort) ?? 'pushed',
  }
}

const isNarrowed = ({ q, archived }: Narrowing): boolean => q !== '' || archived

const inputOf = ({ q, archived, sort }: Narrowing) => ({
  ...(q !== '' && { q }),
  ...(archived && { archived }),
  sort,
})

/** The address of the list, `change` being different. */
const listPath = (slug: string, by: Narrowing, change: Partial<Narrowing & { page: number }>) => {
  const { q, archived, sort, page } = { page: 1, ...by, ...change }
  return withQuery(workspacePath(slug), {
    q: q || undefined,
    archived: archived ? '1' : undefined,
    sort: sort === 'pushed' ? undefined : sort,
    page: page > 1 ? page : undefined,
  })
}

/** A workspace as those see it who are not members: by its repositories. */
async function publicWorkspace(visit: Visit, slug: string, found: Repo | undefined) {
  const first =
    found ??
    (isNarrowed(readNarrowing(visit.url))
      ? (await visit.call(listRepos, { workspace: slug, per_page: 1 })).items[0]
      : undefined)
  if (!first) return null
  if (first.workspace !== slug.toLowerCase()) return redirect(workspacePath(first.workspace), 301)
  return {
    slug,
    name: slug,
    description: '',
    role: null,
    member_count: null,
  } satisfies WorkspaceSummary
}

async function loadPerson(visit: Visit, slug: string, number: number) {
  const person = await visit.tryCall(getUser, { username: slug })
  return (
    person && {
      person,
      made: await visit.call(listUserRepos, { username: person.username, page: number }),
    }
  )
}

const RepoFilters = ({ slug, by }: { slug: string; by: Narrowing }) => (
  <FilterBar
    label={t('Repositories')}
    filters={[
      { label: t('All'), href: listPath(slug, by, { archived: false }), current: !by.archived },
      { label: t('Archived'), href: listPath(slug, by, { archived: true }), current: by.archived },
    ]}
  >
    <Form action={workspacePath(slug)} method="get" inline label={t('Find a repository')}>
      {by.archived && <input type="hidden" name="archived" value="1" />}
      {by.sort !== 'pushed' && <input type="hidden" name="sort" value={by.sort} />}
      <Field
        name="q"
        type="search"
        label={t('Find a repository')}
        placeholder={t('Find a repository')}
        hideLabel
        value={by.q}
        maxlength={200}
      />
      <Button icon="search" label={t('Search')} />
    </Form>
    <LinkPicker
      label={t('Sort')}
      options={SORTINGS.map((sort) => ({
        label: SORTING_LABELS[sort],
        chosen: sort === by.sort,
        href: listPath(slug, by, { sort }),
      }))}
    />
  </FilterBar>
)

const NoRepos = ({ slug, by }: { slug: string; by: Narrowing }) =>
  isNarrowed(by) ? (
    <EmptyState
      icon="repo"
      title={t('No repositories match')}
      actions={<LinkButton href={workspacePath(slug)}>{t('Clear filters')}</LinkButton>}
    />
  ) : (
    <EmptyState
      icon="repo"
      title={t('No repositories yet')}
      actions={
        <LinkButton href={`/new?workspace=${encodeURIComponent(slug)}`} variant="primary">
          {t('Create repository')}
        </LinkButton>
      }
    >
      {t('Repositories of this workspace are listed here.')}
    </EmptyState>
  )

/** Workspaces and users share one namespace of addresses. */
export const workspacePage = page({
  path: '/:workspace',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const number = pageNumber(visit)
    const by = readNarrowing(visit.url)
    const record = await visit.tryCall(getWorkspace, { workspace: slug })
    // A user's own workspace may have their name; their contributions are shown there.
    const contributions =
      number === 1 && !isNarrowed(by)
        ? await visit.tryCall(getContributions, { username: slug.toLowerCase() })
        : null
    const repos = await visit.call(listRepos, { workspace: slug, page: number, ...inputOf(by) })
    const workspace: WorkspaceSummary | DirectResponse | null =
      record ?? (await publicWorkspace(visit, slug, repos.items[0]))
    if (workspace instanceof DirectResponse) return workspace
    if (workspace)
      return { kind: 'workspace' as const, workspace, repos, number, by, contributions }
    const person = await loadPerson(visit, slug, number)
    return person && { kind: 'person' as const, contributions, ...person, number }
  },
  view: (data, visit) => {
    if (data.kind === 'person') return <PersonView data={data} visit={visit} />
    const { workspace, repos, number, by, contributions } = data
    const { slug } = workspace
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={workspace.name}
        current="repositories"
      >
        <h1 class="unseen">{rich('Repositories of {name}', { name: workspace.name })}</h1>
        {(repos.items.length > 0 || isNarrowed(by)) && <RepoFilters slug={slug} by={by} />}
        {repos.items.length === 0 ? (
          <NoRepos slug={slug} by={by} />
        ) : (
          <List label={t('Repositories')}>
            {repos.items.map((repo) => (
              <RepoRow repo={repo} short />
            ))}
          </List>
        )}
        <Pager
          newer={number > 1 ? listPath(slug, by, { page: number - 1 }) : null}
          older={repos.next === null ? null : listPath(slug, by, { page: number + 1 })}
        />
        {contributions !== null && contributions.total > 0 && (
          <ContributionYear contributions={contributions} />
        )}
      </WorkspaceFrame>
    )
  },
})
