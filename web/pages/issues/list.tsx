import { listIssues, listLabels, type Label } from '#features/issues/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  Button,
  EmptyState,
  FilterBar,
  IssueRow,
  LinkButton,
  List,
  PageHead,
  Pagination,
} from '../../components/index.ts'
import { Form } from '../../components/form.tsx'
import { repoPath, withQuery } from '../../paths.ts'
import { page, type OutputOf } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'

const PER_PAGE = 30

const IssueListActions = ({ repo, here }: { repo: Repo; here: string }) => (
  <>
    <LinkButton href={`${here}/board`} icon="layers">
      Board
    </LinkButton>
    <LinkButton href={repoPath(repo.full_name, '/labels')} icon="tag">
      Labels
    </LinkButton>
    <LinkButton href={repoPath(repo.full_name, '/milestones')} icon="milestone">
      Milestones
    </LinkButton>
    <LinkButton href={`${here}/new`} variant="primary" icon="plus" hotkey="c">
      New issue
    </LinkButton>
  </>
)

const FindIssues = ({
  here,
  label,
  labels,
  milestone,
  q,
  state,
}: {
  here: string
  label: readonly string[]
  labels: readonly Label[]
  milestone: string
  q: string
  state: 'open' | 'closed' | 'all'
}) => (
  <Form action={here} method="get" inline label="Find issues">
    {state !== 'open' && <input type="hidden" name="state" value={state} />}
    {milestone !== '' && <input type="hidden" name="milestone" value={milestone} />}
    <input
      class="input"
      type="search"
      name="q"
      value={q}
      placeholder="Find in titles and texts"
      aria-label="Find in titles and texts"
    />
    <select class="input" name="label" aria-label="Label">
      <option value="">Any label</option>
      {labels.map((one) => (
        <option value={one.name} selected={label.includes(one.name)}>
          {one.name}
        </option>
      ))}
    </select>
    <Button>Filter</Button>
  </Form>
)

const NoIssues = ({
  here,
  label,
  milestone,
  q,
  state,
}: {
  here: string
  label: readonly string[]
  milestone: string
  q: string
  state: 'open' | 'closed' | 'all'
}) => (
  <EmptyState
    icon="issue"
    title={
      q || label.length > 0 || milestone
        ? 'No issue matches'
        : state === 'closed'
          ? 'No closed issues'
          : 'No open issues'
    }
    actions={
      q || label.length > 0 || milestone ? (
        <LinkButton href={here}>Show all open issues</LinkButton>
      ) : (
        <LinkButton href={`${here}/new`} variant="primary">
          Open an issue
        </LinkButton>
      )
    }
  >
    An issue says what should change, and with checks, how one knows that it has.
  </EmptyState>
)

const IssueList = ({
  byName,
  issues,
}: {
  byName: ReadonlyMap<string, Label>
  issues: OutputOf<typeof listIssues>
}) => (
  <List label="Issues">
    {issues.items.map((issue) => (
      <IssueRow issue={issue} labels={issue.labels.map((name) => byName.get(name) ?? { name })} />
    ))}
  </List>
)

export const issuesPage = page({
  path: '/:workspace/:repo/issues',
  load: async (visit) => {
    const name = repoOf(visit)
    const query = visit.url.searchParams
    const state =
      query.get('state') === 'closed'
        ? ('closed' as const)
        : query.get('state') === 'all'
          ? ('all' as const)
          : ('open' as const)
    const label = query.getAll('label').filter((word) => word !== '')
    const q = query.get('q') ?? ''
    const milestone = query.get('milestone') ?? ''
    const number = Math.max(1, Number(query.get('page') ?? '1') || 1)
    const filters = {
      ...(label.length > 0 ? { label } : {}),
      ...(q ? { q } : {}),
      ...(query.get('assignee') ? { assignee: query.get('assignee') ?? '' } : {}),
      ...(milestone ? { milestone } : {}),
    }
    const [repo, issues, labels] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listIssues, { repo: name, state, ...filters, page: number, per_page: PER_PAGE }),
      visit.call(listLabels, { repo: name, per_page: 100 }),
    ])
    return { repo, issues, labels: labels.items, state, label, q, number, milestone }
  },
  view: ({ repo, issues, labels, state, label, q, number, milestone }, visit) => {
    const here = repoPath(repo.full_name, '/issues')
    const at = (change: Record<string, string | number | undefined>) =>
      withQuery(here, {
        state: state === 'open' ? undefined : state,
        q: q || undefined,
        label: label[0],
        milestone,
        ...change,
      })
    const byName = new Map(labels.map((one) => [one.name, one]))
    return (
      <RepoFrame visit={visit} repo={repo} title="Issues" current="issues">
        <PageHead title="Issues" actions={<IssueListActions repo={repo} here={here} />} />
        <FilterBar
          label="Which issues"
          filters={[
            {
              label: 'Open',
              href: at({ state: undefined }),
              current: state === 'open',
              icon: 'issue',
            },
            {
              label: 'Closed',
              href: at({ state: 'closed' }),
              current: state === 'closed',
              icon: 'issue-closed',
            },
            { label: 'All', href: at({ state: 'all' }), current: state === 'all' },
          ]}
        >
          <FindIssues
            here={here}
            label={label}
            labels={labels}
            milestone={milestone}
            q={q}
            state={state}
          />
        </FilterBar>
        {issues.items.length === 0 ? (
          <NoIssues here={here} label={label} milestone={milestone} q={q} state={state} />
        ) : (
          <IssueList byName={byName} issues={issues} />
        )}
        {issues.total !== undefined && issues.total > PER_PAGE && (
          <Pagination
            page={number}
            perPage={PER_PAGE}
            total={issues.total}
            href={(page) => at({ page })}
          />
        )}
      </RepoFrame>
    )
  },
})
