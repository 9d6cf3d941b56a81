import { listPulls } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  EmptyState,
  labelsOfRows,
  LinkButton,
  List,
  PageHead,
  Pagination,
  PullRow,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { page, type OutputOf, type Visit } from '../../site.ts'
import { ListBar, type OwnMenu } from '../issues/list-bar.tsx'
import { CHECKS, filterText, isNarrowed, REVIEWS, type ListFilter } from '../issues/list-filter.ts'
import { listRequest, loadChoices, PER_PAGE, sharedInputs, totalOf } from '../issues/list-load.ts'
import type { LabelChoices } from '../issues/side-load.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { t, texts } from '../../text.ts'
import { loadRecentBranches, RecentBranches } from './recent-branches.tsx'

const REVIEW_WORDS = texts({
  none: 'No reviews',
  required: 'Review required',
  approved: 'Approved',
  changes_requested: 'Changes requested',
} as const)

const CHECK_WORDS = texts({
  none: 'No checks',
  pending: 'Pending',
  passed: 'Passed',
  failed: 'Failed',
} as const)

const menusOf = (visit: Visit, filter: ListFilter): OwnMenu[] => [
  {
    label: t('Reviews'),
    options: (at) => [
      ...REVIEWS.map((review) => ({
        label: REVIEW_WORDS[review],
        chosen: filter.review === review,
        href: at({ review: filter.review === review ? undefined : review }),
      })),
      ...(visit.viewer === null
        ? []
        : [
            {
              label: t('Awaiting review from you'),
              chosen: filter.reviewer === '@me',
              href: at({ reviewer: filter.reviewer === '@me' ? undefined : '@me' }),
            },
          ]),
    ],
  },
  {
    label: t('Checks'),
    options: (at) =>
      CHECKS.map((checks) => ({
        label: CHECK_WORDS[checks],
        chosen: filter.checks === checks,
        href: at({ checks: filter.checks === checks ? undefined : checks }),
      })),
  },
]

/** The inputs of the list besides its state and page. */
function inputsOf(visit: Visit, repo: string, filter: ListFilter) {
  const { review, reviewer, checks, branch, base } = filter
  return {
    repo,
    ...sharedInputs(filter, visit),
    ...(review === undefined ? {} : { review }),
    ...(reviewer === undefined
      ? {}
      : {
          review_requested: reviewer === '@me' ? (visit.viewer?.username ?? '@me') : reviewer,
        }),
    ...(checks === undefined ? {} : { checks }),
    ...(branch === undefined ? {} : { branch }),
    ...(base === undefined ? {} : { base }),
  }
}

const COUNTED = ['open', 'merged', 'closed'] as const
type Counts = Record<(typeof COUNTED)[number], number | null>

/** A filter may need too many pull requests of another state. That must not end this list. */
function withoutCount(error: unknown): null {
  if (error instanceof Refusal && error.code === 'invalid') return null
  throw error
}

/** The page of the list, and the lengths of the lists of other states under the same filter. */
async function loadPulls(visit: Visit, repo: string, filter: ListFilter, number: number) {
  const inputs = inputsOf(visit, repo, filter)
  const [pulls, ...counts] = await Promise.all([
    visit.call(listPulls, { ...inputs, state: filter.state, page: number, per_page: PER_PAGE }),
    ...COUNTED.map((state) =>
      state === filter.state
        ? null
        : visit.call(listPulls, { ...inputs, state, per_page: 1 }).then(totalOf, withoutCount),
    ),
  ])
  const totals = Object.fromEntries(
    COUNTED.map((state, at) => [
      state,
      state === filter.state ? totalOf(pulls) : (counts[at] ?? null),
    ]),
  ) as Counts
  return { pulls, totals }
}

const NoPulls = ({ repo, here, filter }: { repo: Repo; here: string; filter: ListFilter }) =>
  isNarrowed(filter) ? (
    <EmptyState
      icon="pull"
      title={t('No pull requests match')}
      actions={<LinkButton href={here}>{t('Clear filters')}</LinkButton>}
    >
      {t('Remove a filter, or search merged and closed pull requests too.')}
    </EmptyState>
  ) : (
    <EmptyState
      icon="pull"
      title={EMPTY_TITLES[filter.state]}
      actions={
        repo.archived ? undefined : (
          <LinkButton href={`${here}/new`} variant="primary">
            {t('New pull request')}
          </LinkButton>
        )
      }
    >
      {t('A pull request proposes a change, from a branch or from a fork of its own.')}
    </EmptyState>
  )

const EMPTY_TITLES = texts({
  all: 'No pull requests',
  open: 'No open pull requests',
  draft: 'No draft pull requests',
  ready: 'No pull requests ready for review',
  merged: 'No merged pull requests',
  closed: 'No closed pull requests',
})

const PullList = ({
  pulls,
  labels,
}: {
  pulls: OutputOf<typeof listPulls>
  labels: LabelChoices
}) => {
  const shown = labelsOfRows(
    pulls.items.map((one) => one.labels),
    labels.known,
  )
  return (
    <List label={t('Pull requests')}>
      {pulls.items.map((pull, at) => (
        <PullRow pull={pull} labels={shown[at]} />
      ))}
    </List>
  )
}

export const pullsPage = page({
  path: '/:workspace/:repo/pulls',
  load: async (visit) => {
    const name = repoOf(visit)
    const { filter, number } = listRequest(visit)
    const [repo, lists] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPulls(visit, name, filter, number),
    ])
    const choices = await loadChoices(visit, name, filter, lists.pulls.items)
    const recent = await loadRecentBranches(visit, repo)
    return { repo, recent, ...choices, ...lists, filter, number }
  },
  view: ({ repo, recent, pulls, totals, filter, number, ...choices }, visit) => {
    const here = repoPath(repo.full_name, '/pulls')
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Pull requests')} current="pulls">
        <PageHead
          title={t('Pull requests')}
          actions={
            repo.archived ? undefined : (
              <LinkButton href={`${here}/new`} variant="primary" icon="plus" hotkey="c">
                {t('New pull request')}
              </LinkButton>
            )
          }
        />
        <RecentBranches repo={repo} branches={recent} />
        <ListBar
          what="pull requests"
          here={here}
          filter={filter}
          tabs={[
            { state: 'open', label: t('Open'), icon: 'pull', count: totals.open },
            { state: 'draft', label: t('Drafts') },
            { state: 'merged', label: t('Merged'), icon: 'merge', count: totals.merged },
            { state: 'closed', label: t('Closed'), icon: 'pull-closed', count: totals.closed },
            { state: 'all', label: t('All') },
          ]}
          menus={menusOf(visit, filter)}
          {...choices}
        />
        {pulls.items.length === 0 ? (
          <NoPulls repo={repo} here={here} filter={filter} />
        ) : (
          <PullList pulls={pulls} labels={choices.labels} />
        )}
        {pulls.total !== undefined && pulls.total > PER_PAGE && (
          <Pagination
            page={number}
            perPage={PER_PAGE}
            total={pulls.total}
            href={(page) => withQuery(here, { q: filterText(filter), page })}
          />
        )}
      </RepoFrame>
    )
  },
})
