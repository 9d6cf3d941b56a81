import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  CONCLUSIONS,
  getWorkflow,
  listRuns,
  listWorkflows,
  RUN_EVENTS,
  RUN_STATUSES,
  type Run,
  type Workflow,
} from '#features/workflows/index.ts'
import {
  ActorLink,
  Button,
  Chip,
  Columns,
  Duration,
  EmptyState,
  FilterBar,
  Icon,
  type IconName,
  LinkButton,
  LinkPicker,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  SideNav,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { pullPath, repoPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { page, type Visit } from '../../site.ts'
import { findChoices, type Choices } from '../choices.ts'
import { mayPropose } from '../code/edit-load.ts'
import { editPath } from '../code/edit.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { cachesPath, workflowPath } from './paths.ts'
import { loadStartable, RunMenu } from './run-menu.tsx'
import { durationOf, eventLabel, RunState, shortRef } from './states.tsx'
import { localized, rich, t } from '../../text.ts'

/** What the address narrows the list to. */
type Filter = ReturnType<typeof readFilter>

function readFilter({ searchParams }: URL) {
  const asked = (name: string): string | undefined => searchParams.get(name) ?? undefined
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find((one) => one === asked(name))
  return {
    workflow: asked('workflow'),
    status: oneOf('status', RUN_STATUSES),
    conclusion: oneOf('conclusion', CONCLUSIONS),
    branch: asked('branch'),
    event: oneOf('event', RUN_EVENTS),
    actor: asked('actor'),
  }
}

type Shown = {
  readonly repo: Repo
  readonly workflows: Choices<Workflow>
  /** The one that the list is narrowed to. */
  readonly chosen: Workflow | null
  /** Those that a person can start. */
  readonly startable: readonly Workflow[]
  readonly runs: readonly Run[]
  readonly next: string | null
  readonly page: number
  readonly filter: Filter
}

/** Leads to the runs of the same branch; tags have their runs once. */
const BranchChip = ({ repo, run }: { repo: string; run: Run }) => {
  const chip = <Chip icon="branch">{shortRef(run.ref)}</Chip>
  const branch = /^refs\/heads\/(.+)$/.exec(run.ref)?.[1]
  if (branch === undefined) return chip
  return <a href={withQuery(repoPath(repo, '/runs'), { branch })}>{chip}</a>
}

export const RunRow = ({ repo, run, now }: { repo: string; run: Run; now: number }) => {
  const took = durationOf(run, now)
  return (
    <Row
      mark={<RunState of={run} bare />}
      title={
        <a class="row-link" href={repoPath(repo, `/runs/${run.id}`)}>
          {run.title}
        </a>
      }
      meta={
        <>
          <span>
            {run.name} #{run.number}
          </span>
          <span>{eventLabel(run.event)}</span>
          <span>
            <ActorLink of={run.actor} face={false} />
          </span>
          <span>
            <RelativeTime at={run.created_at} now={now} />
          </span>
          {took !== null && (
            <span>
              <Duration milliseconds={took} />
            </span>
          )}
          {run.error !== null && <span class="tone-bad">{run.error}</span>}
        </>
      }
      end={
        run.pull === null ? (
          <BranchChip repo={repo} run={run} />
        ) : (
          <a class="row-count" href={pullPath(repo, run.pull, 'checks')}>
            <Icon name="pull" /> {run.pull}
          </a>
        )
      }
    />
  )
}

/** How runs stand, and how they ended. */
const STATES = localized({
  queued: { label: 'Queued', filter: { status: 'queued' } },
  waiting: { label: 'Waiting', filter: { status: 'waiting' } },
  running: { label: 'Running', filter: { status: 'in_progress' } },
  succeeded: { label: 'Succeeded', filter: { conclusion: 'success' } },
  failed: { label: 'Failed', filter: { conclusion: 'failure' } },
} as const)

const NoRunMatches = ({ here }: { here: string }) => (
  <EmptyState
    icon="play"
    title={t('No runs match')}
    actions={<LinkButton href={here}>{t('Clear filters')}</LinkButton>}
  />
)

const FirstWorkflow = ({ repo, visit }: { repo: Repo; visit: Visit }) => (
  <EmptyState
    icon="play"
    title={t('No runs yet')}
    actions={
      !repo.empty &&
      mayPropose(visit, repo) && (
        <LinkButton
          href={withQuery(editPath(repo.full_name, 'new', repo.default_branch, ''), {
            path: '.hearth/workflows/test.yml',
          })}
          variant="primary"
        >
          {t('New workflow')}
        </LinkButton>
      )
    }
  >
    {rich('Add a workflow file to {code} and push it. Files in {code2} run unchanged.', {
      code: <code>.hearth/workflows/</code>,
      code2: <code>.github/workflows/</code>,
    })}
  </EmptyState>
)

const NoRunYet = () => (
  <EmptyState icon="play" title={t('No runs yet')}>
    {rich('Runs begin with the events that a workflow file names under {on}.', {
      on: <code>on</code>,
    })}{' '}
    {t('Choose a workflow to see them, or to start it by hand.')}
  </EmptyState>
)

const iconOf = ({ state }: Workflow): IconName => (state === 'invalid' ? 'warning' : 'play')

/** Those that the side of the page has no place for, with a search of all. */
const MoreWorkflows = ({
  repo,
  workflows,
  filter,
}: Pick<Shown, 'repo' | 'workflows' | 'filter'>) =>
  workflows.hasMore || workflows.q !== null ? (
    <LinkPicker
      label={t('Find a workflow')}
      small
      align="left"
      options={workflows.items.map((workflow) => ({
        label: workflow.name,
        hint: workflow.path,
        mark: <Icon name={iconOf(workflow)} />,
        href: workflowPath(repo.full_name, workflow.id),
      }))}
      search={workflows}
      linkForm={{
        action: repoPath(repo.full_name, '/runs'),
        fields: Object.fromEntries(
          Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])),
        ),
      }}
    />
  ) : null

const WorkflowNav = (shown: Pick<Shown, 'repo' | 'workflows' | 'chosen' | 'filter'>) => {
  const { repo, workflows, chosen, filter } = shown
  const here = repoPath(repo.full_name, '/runs')
  const listed = [
    ...(chosen === null ? [] : [chosen]),
    ...workflows.items.filter(({ id }) => id !== chosen?.id),
  ]
  return (
    <>
      <SideNav
        label={t('Workflows')}
        groups={[
          {
            tabs: [
              {
                label: t('All workflows'),
                href: withQuery(here, { ...filter, workflow: undefined }),
                current: filter.workflow === undefined,
              },
              ...listed.map((workflow) => ({
                label: workflow.name,
                href: workflowPath(repo.full_name, workflow.id),
                icon: iconOf(workflow),
                current: filter.workflow === workflow.id,
              })),
            ],
          },
          { tabs: [{ label: t('Caches'), href: cachesPath(repo.full_name), icon: 'package' }] },
        ]}
      />
      <MoreWorkflows {...shown} />
    </>
  )
}

/** The filters that no tab shows. */
const NARROWED = ['branch', 'event', 'actor'] as const

type Change = Partial<Filter & { readonly page: number }>

type FilterProps = {
  readonly shown: Shown
  readonly at: (change: Change) => string
}

/** A filter by a word of its own, such as a branch. `known` are those of the runs on the page. */
const WordFilter = ({
  label,
  name,
  known,
  shown: { repo, filter },
  at,
}: FilterProps & { label: string; name: 'branch' | 'actor'; known: readonly string[] }) => {
  const chosen = filter[name]
  const words = new Set([...(chosen === undefined ? [] : [chosen]), ...known])
  return (
    <LinkPicker
      label={label}
      small
      options={[...words].map((word) => ({
        label: word,
        chosen: word === chosen,
        href: at({ [name]: word === chosen ? undefined : word }),
      }))}
    >
      <form action={repoPath(repo.full_name, '/runs')} method="get" class="form-inline">
        {Object.entries(filter).map(
          ([other, value]) =>
            value !== undefined &&
            other !== name && <input type="hidden" name={other} value={value} />,
        )}
        <input class="input" type="text" name={name} aria-label={label} maxlength={100} required />
        <Button small>{t('Filter')}</Button>
      </form>
    </LinkPicker>
  )
}

const RunFilters = ({ shown, at }: FilterProps) => {
  const { filter, runs, repo } = shown
  const tab = (label: string, { status, conclusion }: Partial<Filter>) => ({
    label,
    href: at({ status, conclusion }),
    current: filter.status === status && filter.conclusion === conclusion,
  })
  const branches = runs.flatMap(({ ref }) => /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? [])
  return (
    <FilterBar
      label={t('Runs by status')}
      filters={[
        tab(t('All'), {}),
        ...Object.values(STATES).map((state) => tab(state.label, state.filter)),
      ]}
    >
      <div class="list-menus">
        <WordFilter
          label={t('Branch')}
          name="branch"
          known={[repo.default_branch, ...branches]}
          shown={shown}
          at={at}
        />
        <LinkPicker
          label={t('Event')}
          small
          options={RUN_EVENTS.map((event) => ({
            label: eventLabel(event),
            chosen: event === filter.event,
            href: at({ event: event === filter.event ? undefined : event }),
          }))}
        />
        <WordFilter
          label={t('Person')}
          name="actor"
          known={runs.flatMap(({ actor }) => actor?.username ?? [])}
          shown={shown}
          at={at}
        />
      </div>
    </FilterBar>
  )
}

const RunsView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, runs, filter } = shown
  const here = repoPath(repo.full_name, '/runs')
  const at = (change: Change): string => withQuery(here, { ...filter, ...change })
  const isNarrowed = Object.values(filter).some((value) => value !== undefined)
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Runs')}
      current="runs"
      live={liveOf(visit, shown)}
    >
      <Columns side={<WorkflowNav {...shown} />}>
        <PageHead
          title={t('Runs')}
          lead={t('What workflows did for pushes and pull requests.')}
          actions={
            <>
              <RunMenu visit={visit} repo={repo} workflows={shown.startable} />
              <LinkButton href={repoPath(repo.full_name, '/deployments')} icon="upload">
                {t('Deployments')}
              </LinkButton>
            </>
          }
        />
        <RunFilters shown={shown} at={at} />
        {NARROWED.some((name) => filter[name] !== undefined) && (
          <p class="row-meta">
            {NARROWED.map((name) => filter[name] !== undefined && <Chip>{filter[name]}</Chip>)}
            <a href={here}>{t('Clear filters')}</a>
          </p>
        )}
        {runs.length > 0 ? (
          <List label={t('Runs')}>
            {runs.map((run) => (
              <RunRow repo={repo.full_name} run={run} now={visit.hearth.clock.now()} />
            ))}
          </List>
        ) : isNarrowed ? (
          <NoRunMatches here={here} />
        ) : shown.workflows.items.length > 0 ? (
          <NoRunYet />
        ) : (
          <FirstWorkflow repo={repo} visit={visit} />
        )}
        <Pager
          newer={shown.page > 1 ? at({ page: shown.page - 1 }) : null}
          older={shown.next === null ? null : at({ page: shown.page + 1 })}
          label={t('Runs')}
        />
      </Columns>
    </RepoFrame>
  )
}

/** A hash of what the page shows of its runs and workflows. */
export const stateOfRuns = ({ runs, workflows }: Pick<Shown, 'runs' | 'workflows'>): string =>
  Bun.hash(
    JSON.stringify([
      // A job reads the files of workflows a moment after their push.
      workflows.items.map(({ id, name, state, events }) => [id, name, state, events]),
      runs.map(({ id, attempt, status, conclusion, waiting_for }) => [
        id,
        attempt,
        status,
        conclusion,
        waiting_for,
      ]),
    ]),
  ).toString(36)

const liveOf = (visit: Visit, shown: Shown) => ({
  href: withQuery(repoPath(shown.repo.full_name, '/runs/live'), {
    ...Object.fromEntries(visit.url.searchParams),
    state: stateOfRuns(shown),
  }),
  said: t('The list of runs has changed.'),
})

/** The workflows, and the runs that the address asks for. */
export async function loadRuns(visit: Visit): Promise<Omit<Shown, 'repo' | 'startable'>> {
  const filter = readFilter(visit.url)
  const { workflow: workflow_id, ...rest } = filter
  const repo = repoOf(visit)
  const page = pageNumber(visit)
  const workflows = await findChoices(visit, 'workflow', (list) =>
    visit.call(listWorkflows, { repo, ...list }),
  )
  const chosen =
    workflow_id === undefined
      ? null
      : (workflows.items.find(({ id }) => id === workflow_id) ??
        (await visit.tryCall(getWorkflow, { repo, id: workflow_id })))
  const { items, next } = await visit.call(listRuns, { repo, workflow_id, ...rest, page })
  return { workflows, chosen, runs: items, next, page, filter }
}

export const runsPage = page({
  path: '/:workspace/:repo/runs',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const startable = await loadStartable(visit, repo)
    return { repo, startable, ...(await loadRuns(visit)) }
  },
  view: (shown, visit) => <RunsView visit={visit} {...shown} />,
})
