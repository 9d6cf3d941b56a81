// The board of a project: issues of its repositories in columns.
import {
  getProjectBoard,
  MAX_COUNTED_CARDS,
  moveCard,
  type BoardColumn,
} from '#features/boards/index.ts'
import { getProject, getWorkspace } from '#features/workspaces/index.ts'
import {
  Board,
  type BoardCard,
  cardBytes,
  EmptyState,
  FilterBar,
  FormError,
  labelsOfRows,
  LinkButton,
  LinkPicker,
  PageHead,
  type RowLabels,
} from '../../components/index.ts'
import { formatNumber } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { issuePath, projectPath, repoPath, withQuery } from '../../paths.ts'
import { action, page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { loadPage, RowSteps } from '../row-form.tsx'
import { workspaceOf } from './list.tsx'

export const projectOf = (visit: Visit): string => visit.params.project ?? ''

/** The project of an address. */
export async function loadProject(visit: Visit) {
  const slug = workspaceOf(visit)
  const [workspace, project] = await Promise.all([
    visit.call(getWorkspace, { workspace: slug }),
    visit.call(getProject, { workspace: slug, project: projectOf(visit) }),
  ])
  return { workspace, project }
}

/** Only the viewer's own issues, when the address says so. */
const isMine = (visit: Visit): boolean => visit.url.searchParams.get('assignee') === 'me'

/** The column that the address names, or null for the whole board. */
const onlyColumn = (visit: Visit): string | null => visit.url.searchParams.get('column')

type Place = { readonly mine: boolean; readonly column: string | null; readonly page: number }

const placeOf = (visit: Visit): Place => ({
  mine: isMine(visit),
  column: onlyColumn(visit),
  page: pageNumber(visit),
})

/** The address of a board, of one column of it, or of a page of that. */
function boardAddress(visit: Visit, change: Partial<Place> = {}): string {
  const { mine, column, page } = { ...placeOf(visit), ...change }
  return withQuery(projectPath(workspaceOf(visit), projectOf(visit)), {
    assignee: mine ? 'me' : undefined,
    column: column ?? undefined,
    page: column !== null && page > 1 ? page : undefined,
  })
}

const totalText = ({ cards_count }: BoardColumn): string =>
  `${formatNumber(cards_count)}${cards_count >= MAX_COUNTED_CARDS ? '+' : ''}`

/** A board shows so many cards of a column at most, and the page of one column. */
const MAX_CARDS = 50
const CARDS_PER_PAGE = 25
/** What the cards of a board may take of its page without their labels, as estimated. */
const MAX_CARDS_BYTES = 55_000

/** Columns with as many of their first cards as all columns have room for. */
function fittingColumns(columns: readonly BoardColumn[]): BoardColumn[] {
  let bytes = 0
  let depth = 0
  for (; depth < MAX_CARDS; depth++) {
    const row = columns.flatMap(({ cards }) => cards[depth] ?? [])
    for (const card of row)
      bytes += cardBytes({ ...card, reference: `${card.repo}#${card.number}` })
    if (row.length === 0 || (depth > 0 && bytes > MAX_CARDS_BYTES)) break
  }
  return columns.map((column) => ({ ...column, cards: column.cards.slice(0, depth) }))
}

/** A card whose issue has the labels of two columns is in both. */
const cardId = (column: string, repo: string, number: number | string): string =>
  `card-${column}-${repo}-${number}`.replace(/[^\w.-]+/g, '-')

/**
 * The labels of all cards by column. That of a column is not repeated on its cards. Repositories give
 * labels of one name colours of their own.
 */
function labelsOfCards(columns: readonly BoardColumn[]): RowLabels[][] {
  const own = columns.map(({ cards, label }) =>
    cards.map(({ labels }) =>
      labels.filter(({ name }) => name.toLowerCase() !== label?.toLowerCase()),
    ),
  )
  const names = own.flat().map((labels) => labels.map(({ name }) => name))
  const most = Math.max(0, ...labelsOfRows(names, new Map()).map(({ labels }) => labels.length))
  return own.map((cards) =>
    cards.map((labels) => ({
      labels: labels.slice(0, most).map((label) => ({ ...label, description: null })),
      more: Math.max(0, labels.length - most),
    })),
  )
}

const cardsOf = (
  column: BoardColumn,
  labels: readonly RowLabels[],
  workspace: string,
): BoardCard[] =>
  column.cards.map((card, at) => {
    const name = card.repo.slice(workspace.length + 1)
    return {
      id: cardId(column.name, name, card.number),
      key: `${card.repo}#${card.number}`,
      href: issuePath(card.repo, card.number),
      title: card.title,
      reference: `${name}#${card.number}`,
      labels: labels[at]?.labels ?? [],
      moreLabels: labels[at]?.more ?? 0,
      assignees: card.assignees,
      fields: card.can_move ? { repo: card.repo, number: String(card.number) } : null,
    }
  })

const NoRepositories = ({ settings }: { settings: string }) => (
  <EmptyState
    icon="repo"
    title={t('No repositories yet')}
    actions={
      <LinkButton href={settings} variant="primary">
        {t('Add repositories')}
      </LinkButton>
    }
  >
    {t('The board shows the issues of the repositories of this project.')}
  </EmptyState>
)

/** An issue is made in a repository: in the only one, or in the chosen one. */
const NewIssue = ({ repositories, workspace }: { repositories: string[]; workspace: string }) => {
  const [first] = repositories
  if (first === undefined) return null
  const newIssueIn = (name: string): string => repoPath(name, '/issues/new')
  return repositories.length === 1 ? (
    <LinkButton href={newIssueIn(first)} small icon="plus">
      {t('New issue')}
    </LinkButton>
  ) : (
    <LinkPicker
      small
      label={t('New issue')}
      options={repositories.map((name) => ({
        label: name.slice(workspace.length + 1),
        href: newIssueIn(name),
      }))}
    />
  )
}

/** The lists of the issues of each repository. */
const RepoLinks = ({ repositories, workspace }: { repositories: string[]; workspace: string }) => (
  <p class="row-meta">
    {t('Repositories')}:{' '}
    {repositories.slice(0, 20).map((name) => (
      <a href={repoPath(name, '/issues')}>{name.slice(workspace.length + 1)}</a>
    ))}
  </p>
)

/** All columns with their first cards, or the only one that the address names with a page of its cards. */
async function loadColumns(visit: Visit) {
  const board = {
    workspace: workspaceOf(visit),
    project: projectOf(visit),
    assignee: isMine(visit) ? visit.viewer?.username : undefined,
  }
  const { columns } = await visit.call(getProjectBoard, { ...board, limit: MAX_CARDS })
  const only = columns.find(({ name }) => name === onlyColumn(visit))
  if (only === undefined)
    return { columns: fittingColumns(columns), only: null, page: 1, hasNext: false }
  const { items, page, hasNext } = await loadPage(visit, async (page) => {
    const [column] = (
      await visit.call(getProjectBoard, {
        ...board,
        column: only.name,
        page,
        limit: CARDS_PER_PAGE,
      })
    ).columns
    return { items: column?.cards ?? [], next: column?.more ? String(page + 1) : null }
  })
  return {
    columns: columns.map((column) => ({ ...column, cards: column === only ? items : [] })),
    only: only.name,
    page,
    hasNext,
  }
}

/** What the page shows, and the way from one column back to all. */
const BoardFilter = ({ visit, only }: { visit: Visit; only: string | null }) => (
  <FilterBar
    label={t('Issues')}
    filters={[false, true].map((mine) => ({
      label: mine ? t('Assigned to you') : t('All'),
      href: boardAddress(visit, { mine, page: 1 }),
      current: mine === isMine(visit),
    }))}
  >
    {only !== null && <a href={boardAddress(visit, { column: null })}>{t('Show all columns')}</a>}
  </FilterBar>
)

const shownColumn = (column: BoardColumn) => ({
  value: column.name,
  title: column.name,
  name: column.name,
  href: null,
  total: totalText(column),
})

/** The link to the pages of a column of which the board shows some cards. */
const moreOf = (visit: Visit, column: BoardColumn) =>
  column.cards.length < column.cards_count
    ? {
        href: boardAddress(visit, { column: column.name, page: 1 }),
        label: t('Show all {count}', { count: totalText(column) }),
      }
    : null

export const projectBoardPage = page({
  path: '/:workspace/-/projects/:project',
  load: async (visit) => ({ ...(await loadProject(visit)), ...(await loadColumns(visit)) }),
  view: ({ workspace, project, columns, only, page, hasNext }, visit) => {
    const settings = projectPath(workspace.slug, project.slug, '/settings')
    const labels = labelsOfCards(columns)
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={project.name}
        current="projects"
        width="wide"
      >
        <PageHead
          title={<bdi>{project.name}</bdi>}
          lead={project.description === '' ? undefined : <bdi>{project.description}</bdi>}
          actions={
            <>
              <NewIssue repositories={project.repositories} workspace={workspace.slug} />
              <LinkButton href={settings} small icon="settings">
                {t('Settings')}
              </LinkButton>
            </>
          }
        />
        {visit.form.error && <FormError>{visit.form.error.message}</FormError>}
        {project.repositories.length === 0 ? (
          <NoRepositories settings={settings} />
        ) : (
          <>
            <BoardFilter visit={visit} only={only} />
            <Board
              action={boardAddress(visit)}
              csrf={visit.csrf}
              moveHref={(card) => withQuery(boardAddress(visit), { move: card })}
              moving={visit.url.searchParams.get('move')}
              only={only}
              columns={columns.map((column, at) => ({
                ...shownColumn(column),
                cards: cardsOf(column, labels[at] ?? [], workspace.slug),
                more: only === null ? moreOf(visit, column) : null,
              }))}
            />
            <RowSteps
              list={{ items: [], page, hasNext }}
              here={boardAddress(visit, { page: 1 })}
              label={t('Issues')}
            />
            <RepoLinks repositories={project.repositories} workspace={workspace.slug} />
          </>
        )}
      </WorkspaceFrame>
    )
  },
})

export const moveCardForm = action({
  path: '/:workspace/-/projects/:project',
  page: projectBoardPage,
  submit: async (visit, fields) => {
    const [repo, number, column] = [fields.text('repo'), fields.text('number'), fields.text('to')]
    const [, side, card] = /^(before|after) (.+)$/.exec(fields.text('place')) ?? []
    await visit.call(moveCard, {
      repo,
      number: Number(number),
      project: projectOf(visit),
      column,
      ...(side === 'before' ? { before: card } : side === 'after' ? { after: card } : {}),
    })
    // The browser continues at the card, also for the keyboard.
    const name = repo.slice(workspaceOf(visit).length + 1)
    return `${boardAddress(visit)}#${cardId(column, name, number)}`
  },
})
