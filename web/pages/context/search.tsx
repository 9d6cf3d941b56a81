// Searches what surrounds the work in a workspace: projects, people, issues, documents and more.
import {
  ENTITY_KINDS,
  searchContext,
  type ContextItem,
  type EntityKind,
} from '#features/context/index.ts'
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Badge,
  EmptyState,
  FormError,
  KindSearch,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  type IconName,
  Icon,
} from '../../components/index.ts'
import { withQuery, workspacePath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { stateWord } from '../../messages.ts'
import { t, texts } from '../../text.ts'
import { WorkspaceFrame } from '../workspaces/frame.tsx'

const PER_PAGE = 20

export const KIND_LABELS = texts({
  project: 'Project',
  repo: 'Repository',
  package: 'Package',
  dependency: 'Dependency',
  owner: 'Owner',
  issue: 'Issue',
  pull: 'Pull request',
  memory: 'Memory',
  doc: 'Document',
  run: 'Run',
  ticket: 'Ticket',
} as const)

export const KIND_ICONS: Readonly<Record<EntityKind, IconName>> = {
  project: 'layers',
  repo: 'repo',
  package: 'package',
  dependency: 'package',
  owner: 'users',
  issue: 'issue',
  pull: 'pull',
  memory: 'info',
  doc: 'file',
  run: 'play',
  ticket: 'link',
}

/** The page of one entity. */
export const entityPath = (workspace: string, kind: EntityKind, key: string): string =>
  withQuery(workspacePath(workspace, 'context/entity'), { kind, id: key })

type Found = Awaited<ReturnType<typeof search>>
type Shown = {
  readonly workspace: Workspace
  readonly query: string
  readonly kind: EntityKind | null
  readonly found: Found | null
  readonly problem: string | null
}

const search = (
  visit: Visit,
  workspace: string,
  query: string,
  kind: EntityKind | null,
  cursor: string | null,
) =>
  visit.call(searchContext, {
    workspace,
    query,
    limit: PER_PAGE,
    ...(kind === null ? {} : { kinds: [kind] }),
    ...(cursor === null ? {} : { cursor }),
  })

/** The summary of an issue or pull request begins with its state and author: `open, by ada. …`. */
const summaryOf = ({ kind, summary }: ContextItem): string =>
  kind !== 'issue' && kind !== 'pull'
    ? summary
    : summary.replace(
        /^([a-z]+), by ([\w/-]+)\./,
        (_, state: string, author: string) =>
          `${t('{state}, by {author}', { state: stateWord(state), author })}.`,
      )

const ItemRow = ({ item, slug, now }: { item: ContextItem; slug: string; now: number }) => (
  <Row
    mark={<Icon name={KIND_ICONS[item.kind]} />}
    title={<a href={entityPath(slug, item.kind, item.key)}>{item.title}</a>}
    meta={
      <>
        <Badge>{KIND_LABELS[item.kind]}</Badge>
        <a href={item.url}>
          <code>{item.key}</code>
        </a>
        {item.updated_at !== null && <RelativeTime at={item.updated_at} now={now} />}
      </>
    }
  >
    {item.summary !== '' && <p class="muted">{summaryOf(item)}</p>}
  </Row>
)

const ContextView = ({ visit, ...shown }: Shown & { visit: Visit }) => {
  const { workspace, query, kind, found, problem } = shown
  const here = workspacePath(workspace.slug, 'context')
  const at = (cursor: string) => withQuery(here, { q: query, kind: kind ?? undefined, cursor })
  return (
    <WorkspaceFrame
      visit={visit}
      workspace={workspace}
      title={t('Context · {name}', { name: workspace.name })}
      current="context"
    >
      <PageHead
        title={t('Context')}
        lead={t('What people and agents can know about the work here, in one search.')}
      />
      <KindSearch
        here={here}
        label={t('Kinds')}
        searchLabel={t('Search the context')}
        kinds={ENTITY_KINDS}
        kindLabels={KIND_LABELS}
        kind={kind}
        query={query}
      />
      {problem !== null && <FormError>{problem}</FormError>}
      {found === null || found.items.length === 0 ? (
        <EmptyState
          icon="search"
          title={found === null ? t('Search the context') : t('Nothing matches')}
        >
          {found === null
            ? t('Enter words, such as the name of a project, a person or a package.')
            : t('Try fewer words, or another kind.')}
        </EmptyState>
      ) : (
        <List label={t('Results')}>
          {found.items.map((item) => (
            <ItemRow item={item} slug={workspace.slug} now={visit.hearth.clock.now()} />
          ))}
        </List>
      )}
      <Pager
        newer={
          visit.url.searchParams.has('cursor')
            ? withQuery(here, { q: query, kind: kind ?? undefined })
            : null
        }
        older={found?.next == null ? null : at(found.next)}
        label={t('Results')}
      />
    </WorkspaceFrame>
  )
}

export const contextPage = page({
  path: '/:workspace/-/context',
  load: async (visit): Promise<Shown> => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    const { searchParams } = visit.url
    const query = (searchParams.get('q') ?? '').trim().slice(0, 500)
    const kind = ENTITY_KINDS.find((one) => one === searchParams.get('kind')) ?? null
    const shown = { workspace, query, kind, found: null, problem: null }
    if (query === '') return shown
    try {
      const cursor = searchParams.get('cursor')
      return { ...shown, found: await search(visit, workspace.slug, query, kind, cursor) }
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid')
        return { ...shown, problem: error.message }
      throw error
    }
  },
  view: (shown, visit) => <ContextView visit={visit} {...shown} />,
})
