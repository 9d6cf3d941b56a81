import { listIssues } from '#features/issues/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  EmptyState,
  IssueRow,
  labelsOfRows,
  LinkButton,
  Menu,
  List,
  PageHead,
  Pagination,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { page, type OutputOf, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { ListBar } from './list-bar.tsx'
import { filterText, isNarrowed, type ListFilter, type ListState } from './list-filter.ts'
import { listRequest, loadChoices, PER_PAGE, sharedInputs, totalOf } from './list-load.ts'
import type { LabelChoices } from './side-load.ts'
import { t } from '../../text.ts'

const IssueListActions = ({ repo, here }: { repo: Repo; here: string }) => (
  <>
    <LinkButton href={`${here}/board`} icon="layers">
      {t('Board')}
    </LinkButton>
    <LinkButton href={repoPath(repo.full_name, '/labels')} icon="tag">
      {t('Labels')}
    </LinkButton>
    <LinkButton href={repoPath(repo.full_name, '/milestones')} icon="milestone">
      {t('Milestones')}
    </LinkButton>
    <Menu
      button
      label={t('More')}
      summary={t('More')}
      items={[
        { label: t('Plans'), href: repoPath(repo.full_name, '/plans'), icon: 'plan' },
        { label: t('Ask'), href: repoPath(repo.full_name, '/ask'), icon: 'search' },
        { label: t('Tickets'), href: repoPath(repo.full_name, '/tickets'), icon: 'link' },
      ]}
    />
    {!repo.archived && (
      <LinkButton href={`${here}/new`} variant="primary" icon="plus" hotkey="c">
        {t('New issue')}
      </LinkButton>
    )}
  </>
)

const NoIssues = ({ repo, here, filter }: { repo: Repo; here: string; filter: ListFilter }) =>
  isNarrowed(filter) ? (
    <EmptyState
      icon="issue"
      title={t('No issues match')}
      actions={<LinkButton href={here}>{t('Clear filters')}</LinkButton>}
    >
      {t('Remove a filter, or search closed issues too.')}
    </EmptyState>
  ) : (
    <EmptyState
      icon="issue"
      title={filter.state === 'closed' ? t('No closed issues') : t('No open issues')}
      actions={
        repo.archived ? undefined : (
          <LinkButton href={`${here}/new`} variant="primary">
            {t('New issue')}
          </LinkButton>
        )
      }
    >
      {t('An issue describes a problem or a goal. Acceptance checks say when it is solved.')}
    </EmptyState>
  )

const IssueList = ({
  labels,
  issues,
}: {
  labels: LabelChoices
  issues: OutputOf<typeof listIssues>
}) => {
  const shown = labelsOfRows(
    issues.items.map((one) => one.labels),
    labels.known,
  )
  return (
    <List label={t('Issues')}>
      {issues.items.map((issue, at) => (
        <IssueRow issue={issue} labels={shown[at]} />
      ))}
    </List>
  )
}

type IssueState = 'open' | 'closed' | 'all'

/** Issues are open or closed; the other states are of pull requests. */
const issueState = (state: ListState): IssueState =>
  state === 'all' ? 'all' : state === 'closed' || state === 'merged' ? 'closed' : 'open'

/** The page of the list, and the length of the list of the other state under the same filter. */
async function loadIssues(visit: Visit, repo: string, filter: ListFilter, number: number) {
  const shared = { repo, ...sharedInputs(filter, visit) }
  const state = issueState(filter.state)
  const count = async (other: 'open' | 'closed') =>
    other === state
      ? undefined
      : totalOf(await visit.call(listIssues, { ...shared, state: other, per_page: 1 }))
  const [issues, open, closed] = await Promise.all([
    visit.call(listIssues, { ...shared, state, page: number, per_page: PER_PAGE }),
    count('open'),
    count('closed'),
  ])
  const here = totalOf(issues)
  return {
    issues,
    open: open === undefined ? here : open,
    closed: closed === undefined ? here : closed,
  }
}

export const issuesPage = page({
  path: '/:workspace/:repo/issues',
  load: async (visit) => {
    const name = repoOf(visit)
    const { filter: asked, number } = listRequest(visit)
    const filter = { ...asked, state: issueState(asked.state) }
    const [repo, lists] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadIssues(visit, name, filter, number),
    ])
    const choices = await loadChoices(visit, name, filter, lists.issues.items)
    return { repo, ...choices, ...lists, filter, number }
  },
  view: ({ repo, issues, open, closed, filter, number, ...choices }, visit) => {
    const here = repoPath(repo.full_name, '/issues')
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Issues')} current="issues">
        <PageHead title={t('Issues')} actions={<IssueListActions repo={repo} here={here} />} />
        <ListBar
          what="issues"
          here={here}
          filter={filter}
          tabs={[
            { state: 'open', label: t('Open'), icon: 'issue', count: open },
            { state: 'closed', label: t('Closed'), icon: 'issue-closed', count: closed },
            { state: 'all', label: t('All') },
          ]}
          {...choices}
        />
        {issues.items.length === 0 ? (
          <NoIssues repo={repo} here={here} filter={filter} />
        ) : (
          <IssueList labels={choices.labels} issues={issues} />
        )}
        {issues.total !== undefined && issues.total > PER_PAGE && (
          <Pagination
            page={number}
            perPage={PER_PAGE}
            total={issues.total}
            href={(page) => withQuery(here, { q: filterText(filter), page })}
          />
        )}
      </RepoFrame>
    )
  },
})
