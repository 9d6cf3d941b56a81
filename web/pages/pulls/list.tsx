import { listLabels } from '#features/issues/index.ts'
import { listPulls, PULL_STATES } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  EmptyState,
  FilterBar,
  LinkButton,
  List,
  PageHead,
  Pagination,
  PullRow,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'

const PER_PAGE = 30
const WORDS = {
  open: 'Open',
  draft: 'Drafts',
  ready: 'Ready',
  merged: 'Merged',
  closed: 'Closed',
  all: 'All',
} as const

export const pullsPage = page({
  path: '/:workspace/:repo/pulls',
  load: async (visit) => {
    const name = repoOf(visit)
    const query = visit.url.searchParams
    const state = PULL_STATES.find((word) => word === query.get('state')) ?? 'open'
    const number = Math.max(1, Number(query.get('page') ?? '1') || 1)
    const [repo, pulls, labels] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listPulls, { repo: name, state, page: number, per_page: PER_PAGE }),
      visit.call(listLabels, { repo: name, per_page: 100 }),
    ])
    return { repo, pulls, labels: labels.items, state, number }
  },
  view: ({ repo, pulls, labels, state, number }, visit) => {
    const here = repoPath(repo.full_name, '/pulls')
    const byName = new Map(labels.map((one) => [one.name, one]))
    return (
      <RepoFrame visit={visit} repo={repo} title="Pull requests" current="pulls">
        <PageHead
          title="Pull requests"
          actions={
            <LinkButton href={`${here}/new`} variant="primary" icon="plus" hotkey="c">
              New pull request
            </LinkButton>
          }
        />
        <FilterBar
          label="Which pull requests"
          filters={PULL_STATES.map((word) => ({
            label: WORDS[word],
            href: withQuery(here, { state: word === 'open' ? undefined : word }),
            current: word === state,
          }))}
        />
        {pulls.items.length === 0 ? (
          <EmptyState
            icon="pull"
            title={state === 'open' ? 'No open pull requests' : 'None here'}
            actions={
              <LinkButton href={`${here}/new`} variant="primary">
                Start one
              </LinkButton>
            }
          >
            A pull request is a proposed change, made in a fork of its own or from a branch.
          </EmptyState>
        ) : (
          <List label="Pull requests">
            {pulls.items.map((pull) => (
              <PullRow
                pull={pull}
                labels={pull.labels.map((name) => byName.get(name) ?? { name })}
              />
            ))}
          </List>
        )}
        {pulls.total !== undefined && pulls.total > PER_PAGE && (
          <Pagination
            page={number}
            perPage={PER_PAGE}
            total={pulls.total}
            href={(page) => withQuery(here, { state: state === 'open' ? undefined : state, page })}
          />
        )}
      </RepoFrame>
    )
  },
})
