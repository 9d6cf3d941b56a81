// The board: open issues in columns by milestone or by label. A form or a drag moves a card to
// another column.
import {
  getIssue,
  listIssues,
  listLabels,
  listMilestones,
  updateIssue,
  type Issue,
  type Label as LabelRecord,
} from '#features/issues/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  AvatarStack,
  Button,
  CsrfField,
  EmptyState,
  FilterBar,
  Label,
  Labels,
  LinkButton,
  PageHead,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath, repoPath, withQuery } from '../../paths.ts'
import { action, page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { rich, t } from '../../text.ts'

/** The most recently changed issues are shown; more would be unusable. */
const MAX_ISSUES = 100

type By = 'milestone' | 'label'
type Column = {
  readonly value: string
  readonly title: Child
  readonly name: string
  readonly href: string | null
  readonly issues: readonly Issue[]
}

const byOf = (visit: Visit): By =>
  visit.url.searchParams.get('by') === 'label' ? 'label' : 'milestone'
const boardPath = (repo: string, by: By): string =>
  withQuery(repoPath(repo, '/issues/board'), { by: by === 'label' ? by : undefined })

const Card = ({
  issue,
  column,
  columns,
  by,
  visit,
  repo,
  labels,
  mayMove,
}: {
  issue: Issue
  column: Column
  columns: readonly Column[]
  by: By
  visit: Visit
  repo: string
  labels: ReadonlyMap<string, LabelRecord>
  mayMove: boolean
}) => (
  <li
    class="board-card"
    id={`card-${issue.number}-${columns.indexOf(column)}`}
    data-card={mayMove}
    draggable={mayMove ? 'true' : undefined}
  >
    <a class="row-link" dir="auto" href={issuePath(repo, issue.number)}>
      {issue.title}
    </a>
    <p class="row-meta">
      <span>#{issue.number}</span>{' '}
      <Labels
        labels={issue.labels
          .filter((name) => by !== 'label' || name !== column.value)
          .map((name) => labels.get(name) ?? { name })}
      />{' '}
      <AvatarStack people={issue.assignees} />
    </p>
    {mayMove && (
      <form class="board-move" action={boardPath(repo, by)} method="post" data-once>
        <CsrfField csrf={visit.csrf} />
        <input type="hidden" name="number" value={String(issue.number)} />
        <input type="hidden" name="from" value={column.value} />
        <select
          class="input"
          name="to"
          aria-label={t('Column of #{number}', { number: issue.number })}
        >
          {columns.map(({ value, name }) => (
            <option value={value} selected={value === column.value}>
              {name}
            </option>
          ))}
        </select>
        <Button small variant="quiet" label={t('Move #{number}', { number: issue.number })}>
          {t('Move')}
        </Button>
      </form>
    )}
  </li>
)

const BoardColumn = ({
  visit,
  repo,
  by,
  column,
  columns,
  index,
  known,
  mayMove,
}: {
  visit: Visit
  repo: Repo
  by: By
  column: Column
  columns: readonly Column[]
  index: number
  known: ReadonlyMap<string, LabelRecord>
  mayMove: boolean
}) => (
  <section class="board-column" data-column={column.value} aria-labelledby={`column-${index}`}>
    <h2 id={`column-${index}`}>
      {column.href === null ? column.title : <a href={column.href}>{column.title}</a>}{' '}
      <span class="muted nums">{column.issues.length}</span>
    </h2>
    <ul>
      {column.issues.map((issue) => (
        <Card
          issue={issue}
          column={column}
          columns={columns}
          by={by}
          visit={visit}
          repo={repo.full_name}
          labels={known}
          mayMove={mayMove}
        />
      ))}
    </ul>
  </section>
)

const NoColumns = ({ repo, by }: { repo: Repo; by: By }) => (
  <EmptyState
    icon="milestone"
    title={by === 'milestone' ? t('No open milestones') : t('No labels')}
    actions={
      <LinkButton href={repoPath(repo.full_name, by === 'milestone' ? '/milestones' : '/labels')}>
        {by === 'milestone' ? t('Milestones') : t('Labels')}
      </LinkButton>
    }
  >
    {t('The board has one column for each.')}
  </EmptyState>
)

async function loadBoard(visit: Visit) {
  const name = repoOf(visit)
  const [repo, issues, labels, milestones] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    visit.call(listIssues, { repo: name, sort: 'updated', per_page: MAX_ISSUES }),
    visit.call(listLabels, { repo: name, per_page: 100 }),
    visit.call(listMilestones, { repo: name, per_page: 100 }),
  ])
  return {
    repo,
    issues: issues.items,
    more: issues.next !== null,
    labels: labels.items,
    milestones: milestones.items,
  }
}

type BoardData = Awaited<ReturnType<typeof loadBoard>>

/** A column for each milestone or label, and a first one for the issues that have none. */
function columnsOf(
  by: By,
  { repo, issues, labels, milestones }: Omit<BoardData, 'more'>,
): Column[] {
  const list = repoPath(repo.full_name, '/issues')
  return by === 'milestone'
    ? [
        {
          value: '',
          title: t('No milestone'),
          name: 'No milestone',
          href: null,
          issues: issues.filter(({ milestone }) => milestone === null),
        },
        ...milestones.map(({ id, title }) => ({
          value: id,
          title,
          name: title,
          href: withQuery(list, { milestone: id }),
          issues: issues.filter(({ milestone }) => milestone?.id === id),
        })),
      ]
    : [
        {
          value: '',
          title: t('No label'),
          name: 'No label',
          href: null,
          issues: issues.filter((issue) => issue.labels.length === 0),
        },
        ...labels.map((label) => ({
          value: label.name,
          title: <Label label={label} />,
          name: label.name,
          href: withQuery(list, { label: label.name }),
          issues: issues.filter((issue) => issue.labels.includes(label.name)),
        })),
      ]
}

export const boardPage = page({
  path: '/:workspace/:repo/issues/board',
  load: loadBoard,
  view: ({ repo, issues, more, labels, milestones }, visit) => {
    const by = byOf(visit)
    const list = repoPath(repo.full_name, '/issues')
    const columns = columnsOf(by, { repo, issues, labels, milestones })
    const known = new Map(labels.map((label) => [label.name, label]))
    const mayMove = repo.permissions.triage && visit.viewer !== null && !repo.archived
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Board')} current="issues" width="wide">
        <PageHead
          title={t('Board')}
          lead={t('Open issues, the last changed first.')}
          actions={
            <LinkButton href={list} small>
              {t('List')}
            </LinkButton>
          }
        />
        <FilterBar
          label={t('Columns')}
          filters={(['milestone', 'label'] as const).map((one) => ({
            label: one === 'milestone' ? t('By milestone') : t('By label'),
            href: boardPath(repo.full_name, one),
            current: one === by,
          }))}
        />
        {more && (
          <p class="muted">
            {rich('The {maxIssues} that changed last are shown.', { maxIssues: MAX_ISSUES })}
          </p>
        )}
        {columns.length === 1 ? (
          <NoColumns repo={repo} by={by} />
        ) : (
          <section class="board" aria-label={t('Board')} tabindex="0">
            {columns.map((column, index) => (
              <BoardColumn
                visit={visit}
                repo={repo}
                by={by}
                column={column}
                columns={columns}
                index={index}
                known={known}
                mayMove={mayMove}
              />
            ))}
          </section>
        )}
      </RepoFrame>
    )
  },
})

export const boardForm = action({
  path: '/:workspace/:repo/issues/board',
  page: boardPage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    const number = Number(fields.text('number'))
    const [from, to] = [fields.text('from'), fields.text('to')]
    const by = byOf(visit)
    if (by === 'milestone') await visit.call(updateIssue, { repo, number, milestone: to })
    else {
      const { labels } = (await visit.call(getIssue, { repo, number })).issue
      // The label of the old column is removed. A card in the first column has none.
      await visit.call(updateIssue, {
        repo,
        number,
        labels: to === '' ? [] : [...new Set([...labels.filter((name) => name !== from), to])],
      })
    }
    return boardPath(repo, by)
  },
})
