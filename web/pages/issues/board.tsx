// The board: open issues in columns by milestone or by label. A form or a drag moves a card to
// another column.
import {
  findLabels,
  readIssue,
  listIssues,
  listLabels,
  listMilestones,
  updateIssue,
  type Issue,
  type Label as LabelRecord,
} from '#features/issues/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  Board,
  type BoardCard,
  type BoardTargets,
  EmptyState,
  FilterBar,
  firstItems,
  htmlBytes,
  Label,
  LinkButton,
  PageHead,
  Pager,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { formatNumber } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { issuePath, repoPath, withQuery } from '../../paths.ts'
import { action, page, type Visit } from '../../site.ts'
import { findChoices } from '../choices.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { t } from '../../text.ts'

/** A page of the board has at most so many issues; more would be unusable, and over 100 KB. */
const MAX_ISSUES = 80
const ISSUES_PER_CALL = 100
/**
 * The HTML of columns and cards, as estimated. The rest of the page has up to 14 KB, and a search of
 * columns 8 KB.
 */
const MAX_BOARD_BYTES = 86_000
const MAX_BYTES_BESIDE_SEARCH = 72_000
const COLUMN_BYTES = 575
const CARD_BYTES = 450
const LABEL_BYTES = 200
const ASSIGNEE_BYTES = 270
/** A card has at most so many labels, an issue so many cards on a board by label. */
const MAX_CARD_LABELS = 8
const MAX_CARD_LABELS_BYTES = 1_600
const MAX_CARDS_OF_ISSUE = 20
/** Of columns without cards the first ones are shown. */
const MAX_EMPTY_COLUMNS = 30

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
/** The address names the first issue of the page by its place among all. */
const FROM = 'from'
const boardPath = (repo: string, by: By, from = 1): string =>
  withQuery(repoPath(repo, '/issues/board'), {
    by: by === 'label' ? by : undefined,
    [FROM]: from > 1 ? from : undefined,
  })

const labelBytes = (name: string): number => LABEL_BYTES + htmlBytes(name)

const labelsOfCard = (names: readonly string[]): readonly string[] =>
  firstItems(names.slice(0, MAX_CARD_LABELS), MAX_CARD_LABELS_BYTES, labelBytes)

/** The cards of a column. Its own label is not repeated on them. */
const cardsOf = (
  column: Column,
  at: number,
  of: { by: By; repo: string; known: ReadonlyMap<string, LabelRecord>; mayMove: boolean },
): BoardCard[] =>
  column.issues.map((issue) => {
    const labels = issue.labels.filter((name) => of.by !== 'label' || name !== column.value)
    const shown = labelsOfCard(labels)
    return {
      id: `card-${issue.number}-${at}`,
      href: issuePath(of.repo, issue.number),
      title: issue.title,
      reference: `#${issue.number}`,
      labels: shown.map((name) => ({ ...(of.known.get(name) ?? { name }), description: null })),
      moreLabels: labels.length - shown.length,
      assignees: issue.assignees,
      fields: of.mayMove ? { number: String(issue.number) } : null,
    }
  })

const sizeOfCard = ({ title, labels, assignees }: Issue): number =>
  CARD_BYTES +
  Bun.escapeHTML(title).length +
  labelsOfCard(labels).reduce((sum, name) => sum + labelBytes(name), 0) +
  assignees.length * ASSIGNEE_BYTES

/** The columns that an issue has a card in. */
const columnsWith = (by: By, { labels, milestone }: Issue): readonly string[] => {
  const values =
    by === 'label' ? labels.slice(0, MAX_CARDS_OF_ISSUE) : milestone === null ? [] : [milestone.id]
  return values.length === 0 ? [''] : values
}

/** The first issues whose cards fit on the page, beside the columns that it has anyway. */
function fittingIssues(
  by: By,
  issues: readonly Issue[],
  columns: readonly string[],
  maxBytes: number,
): readonly Issue[] {
  const shown = new Set(['', ...columns])
  let cards = 0
  const count = issues.findIndex((issue) => {
    const values = columnsWith(by, issue)
    for (const value of values) shown.add(value)
    cards += values.length * sizeOfCard(issue)
    return cards + shown.size * COLUMN_BYTES > maxBytes
  })
  return count < 0 ? issues : issues.slice(0, Math.max(1, count))
}

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

type ListedIssues = {
  readonly items: readonly Issue[]
  /** The place of the first one among all, from 1. */
  readonly from: number
  readonly total: number
}

/** Some open issues from a place on, the last changed first; those of the first page when there are none. */
async function loadIssues(visit: Visit, from: number): Promise<ListedIssues> {
  const call = (page: number) =>
    visit.call(listIssues, {
      repo: repoOf(visit),
      sort: 'updated',
      page,
      per_page: ISSUES_PER_CALL,
    })
  const skipped = (from - 1) % ISSUES_PER_CALL
  const page = (from - 1 - skipped) / ISSUES_PER_CALL + 1
  const { items: first, next, total = 0 } = await call(page)
  const isSplit = next !== null && skipped + MAX_ISSUES > ISSUES_PER_CALL
  const second = isSplit ? (await call(page + 1)).items : []
  const items = [...first, ...second].slice(skipped, skipped + MAX_ISSUES)
  return items.length === 0 && from > 1 ? loadIssues(visit, 1) : { items, from, total }
}

async function loadBoard(visit: Visit) {
  const name = repoOf(visit)
  const first = { repo: name, per_page: MAX_EMPTY_COLUMNS }
  const [repo, listed, labels, milestones] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    loadIssues(visit, pageNumber(visit, FROM)),
    visit.call(listLabels, first),
    visit.call(listMilestones, first),
  ])
  const by = byOf(visit)
  const moreColumns = (by === 'label' ? labels : milestones).next !== null
  const issues = fittingIssues(
    by,
    listed.items,
    by === 'label' ? labels.items.map((label) => label.name) : milestones.items.map(({ id }) => id),
    moreColumns ? MAX_BYTES_BESIDE_SEARCH : MAX_BOARD_BYTES,
  )
  const listedNames = new Set(labels.items.map((label) => label.name))
  const names = new Set(issues.flatMap(({ labels }) => labels.slice(0, MAX_CARDS_OF_ISSUE)))
  const others = [...names.difference(listedNames)]
  const more =
    others.length === 0 ? [] : await visit.call(findLabels, { repo: name, names: others })
  return {
    repo,
    issues,
    from: listed.from,
    total: listed.total,
    // In the order of the lists that they are from.
    labels: [...labels.items, ...more].sort((a, b) =>
      a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1,
    ),
    milestones: [
      ...new Map(
        [...milestones.items, ...issues.flatMap(({ milestone }) => milestone ?? [])].map((one) => [
          one.id,
          one,
        ]),
      ).values(),
    ].sort((a, b) => (a.id > b.id ? -1 : 1)),
    moreColumns,
    targets: moreColumns ? await loadTargets(visit, by) : undefined,
  }
}

/** The columns that a card can go to when the board has not all of them. */
function loadTargets(visit: Visit, by: By): Promise<BoardTargets> {
  const repo = repoOf(visit)
  return findChoices(visit, 'to', async (page) => {
    if (by === 'label') {
      const { items } = await visit.call(listLabels, { repo, ...page })
      return { items: items.map(({ name }) => ({ value: name, name })) }
    }
    const { items } = await visit.call(listMilestones, { repo, ...page })
    return { items: items.map(({ id, title }) => ({ value: id, name: title })) }
  })
}

type BoardData = Awaited<ReturnType<typeof loadBoard>>

/** The column of issues that have none is among the first ones. */
const withNone = (by: By, targets: BoardTargets): BoardTargets =>
  targets.q === null
    ? { ...targets, items: [{ value: '', name: noneOf(by) }, ...targets.items] }
    : targets

const noneOf = (by: By): string => (by === 'milestone' ? t('No milestone') : t('No label'))

/** A column for each milestone or label, and a first one for the issues that have none. */
function columnsOf(
  by: By,
  {
    repo,
    issues,
    labels,
    milestones,
  }: Pick<BoardData, 'repo' | 'issues' | 'labels' | 'milestones'>,
): Column[] {
  const list = repoPath(repo.full_name, '/issues')
  return by === 'milestone'
    ? [
        {
          value: '',
          title: noneOf(by),
          name: noneOf(by),
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
          title: noneOf(by),
          name: noneOf(by),
          href: null,
          issues: issues.filter((issue) => issue.labels.length === 0),
        },
        ...labels.map((label) => ({
          value: label.name,
          title: <Label label={label} />,
          name: label.name,
          href: withQuery(list, { label: label.name }),
          issues: issues.filter((issue) => columnsWith(by, issue).includes(label.name)),
        })),
      ]
}

type ShownIssues = Pick<BoardData, 'from' | 'issues' | 'total'>

const leadOf = ({ from, issues, total }: ShownIssues): string =>
  issues.length < total
    ? t('Open issues {from} to {to} of {total}, the last changed first.', {
        from: formatNumber(from),
        to: formatNumber(from + issues.length - 1),
        total: formatNumber(total),
      })
    : t('Open issues, the last changed first.')

/** Links to the issues that changed last, and to those after the last one of the page. */
const IssueSteps = ({
  here,
  from,
  issues,
  total,
}: ShownIssues & { here: (from: number) => string }) => (
  <Pager
    newer={from > 1 ? here(1) : null}
    older={from + issues.length <= total ? here(from + issues.length) : null}
    label={t('Issues')}
  />
)

export const boardPage = page({
  path: '/:workspace/:repo/issues/board',
  load: loadBoard,
  view: (board, visit) => {
    const { repo, issues, from, moreColumns, targets, labels, milestones } = board
    const by = byOf(visit)
    const list = repoPath(repo.full_name, '/issues')
    const columns = columnsOf(by, { repo, issues, labels, milestones })
    const known = new Map(labels.map((label) => [label.name, label]))
    const here = boardPath(repo.full_name, by, from)
    const mayMove = repo.permissions.triage && visit.viewer !== null && !repo.archived
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Board')} current="issues" width="wide">
        <PageHead
          title={t('Board')}
          lead={columns.length === 1 ? undefined : leadOf(board)}
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
        {moreColumns && (
          <p class="muted">
            {t('Of columns without issues the first {count} are shown.', {
              count: MAX_EMPTY_COLUMNS,
            })}
          </p>
        )}
        {columns.length === 1 ? (
          <NoColumns repo={repo} by={by} />
        ) : (
          <Board
            action={here}
            csrf={visit.csrf}
            moveHref={(card) => withQuery(here, { move: card })}
            moving={visit.url.searchParams.get('move')}
            targets={targets && withNone(by, targets)}
            columns={columns.map((column, at) => ({
              ...column,
              cards: cardsOf(column, at, { by, repo: repo.full_name, known, mayMove }),
            }))}
          />
        )}
        {columns.length > 1 && (
          <IssueSteps here={(place) => boardPath(repo.full_name, by, place)} {...board} />
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
      const { labels } = (await visit.call(readIssue, { repo, number })).issue
      // The label of the old column is removed. A card in the first column has none.
      await visit.call(updateIssue, {
        repo,
        number,
        labels: to === '' ? [] : [...new Set([...labels.filter((name) => name !== from), to])],
      })
    }
    return boardPath(repo, by, pageNumber(visit, FROM))
  },
})
