// The board of a project: issues of its repositories in columns.
import { getProjectBoard, moveCard, type BoardColumn } from '#features/boards/index.ts'
import { getProject, getWorkspace } from '#features/workspaces/index.ts'
import {
  Board,
  type BoardCard,
  EmptyState,
  FilterBar,
  FormError,
  labelsOfRows,
  LinkButton,
  LinkPicker,
  PageHead,
  type RowLabels,
} from '../../components/index.ts'
import { issuePath, projectPath, repoPath, withQuery } from '../../paths.ts'
import { action, page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
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

const boardAddress = (visit: Visit, mine = isMine(visit)): string =>
  withQuery(projectPath(workspaceOf(visit), projectOf(visit)), {
    assignee: mine ? 'me' : undefined,
  })

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

export const projectBoardPage = page({
  path: '/:workspace/-/projects/:project',
  load: async (visit) => {
    const found = await loadProject(visit)
    const board = await visit.call(getProjectBoard, {
      workspace: found.workspace.slug,
      project: found.project.slug,
      assignee: isMine(visit) ? visit.viewer?.username : undefined,
    })
    return { ...found, board }
  },
  view: ({ workspace, project, board }, visit) => {
    const settings = projectPath(workspace.slug, project.slug, '/settings')
    const labels = labelsOfCards(board.columns)
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
            <FilterBar
              label={t('Issues')}
              filters={[false, true].map((mine) => ({
                label: mine ? t('Assigned to you') : t('All'),
                href: boardAddress(visit, mine),
                current: mine === isMine(visit),
              }))}
            />
            <Board
              action={boardAddress(visit)}
              csrf={visit.csrf}
              moveHref={(card) => withQuery(boardAddress(visit), { move: card })}
              moving={visit.url.searchParams.get('move')}
              columns={board.columns.map((column, at) => ({
                value: column.name,
                title: column.name,
                name: column.name,
                href: null,
                cards: cardsOf(column, labels[at] ?? [], workspace.slug),
                more: column.more,
              }))}
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
