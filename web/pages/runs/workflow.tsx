/** A workflow: its file with errors, its last runs, and the form that starts it. */
import { getFile, getRepo, type Repo } from '#features/repos/index.ts'
import {
  disableWorkflow,
  dispatchWorkflow,
  enableWorkflow,
  getWorkflow,
  listRuns,
  type Run,
  type Workflow,
} from '#features/workflows/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Chip,
  Commands,
  EmptyState,
  List,
  Notice,
  PageHead,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codePath, repoPath, withQuery } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { DispatchForm, loadInputs, readInputs, type DispatchInput } from './dispatch-form.tsx'
import { RunRow } from './list.tsx'
import { workflowPath } from './paths.ts'
import { mayStart } from './run-menu.tsx'
import { rich, t } from '../../text.ts'

type Shown = {
  readonly repo: Repo
  readonly workflow: Workflow
  readonly runs: readonly Run[]
  readonly lines: readonly string[]
  readonly inputs: readonly DispatchInput[]
}

/** Of the newest runs, and of those below a form with inputs. */
const SHOWN_RUNS = 30
const SHOWN_RUNS_BELOW_INPUTS = 10

/** Each error with its line of the file. */
const Errors = ({
  repo,
  workflow,
  lines,
}: {
  repo: Repo
  workflow: Workflow
  lines: readonly string[]
}) => (
  <>
    <Notice kind="bad">
      {t('The file has errors, so nothing of it runs. Correct it and push again.')}
    </Notice>
    <List label={t('Errors')}>
      {workflow.errors.map(({ line, column, message }) => (
        <Row
          title={message}
          meta={
            <>
              <a
                href={
                  codePath(repo.full_name, 'blob', repo.default_branch, workflow.path) +
                  lineAddress(line)
                }
              >
                {rich('line {line}, column {column}', { line, column })}
              </a>
              {lines[line - 1] !== undefined && (
                <code>{lines[line - 1]?.trim().slice(0, 120)}</code>
              )}
            </>
          }
        />
      ))}
    </List>
  </>
)

/** What a README shows the last result with. */
const StatusBadge = ({
  visit,
  repo,
  workflow,
}: {
  visit: Visit
  repo: string
  workflow: Workflow
}) => {
  const { site_url } = visit.hearth.settings
  const file = encodeURIComponent(workflow.path.split('/').at(-1) ?? '')
  const badge = `${site_url}${repoPath(repo, `/actions/workflows/${file}/badge.svg`)}`
  const page = `${site_url}${workflowPath(repo, workflow.id)}`
  const name = workflow.name.replace(/[[\]\\]/g, '\\$&')
  return (
    <details class="more">
      <summary>{t('Status badge')}</summary>
      <p>{t('Paste this into a README to show how the last run on the default branch ended.')}</p>
      <Commands label={t('Copy the Markdown')}>{`[![${name}](${badge})](${page})`}</Commands>
    </details>
  )
}

/** Whether the page has the form that starts the workflow. */
const hasForm = (repo: Repo, { state, events }: Workflow): boolean =>
  mayStart(repo) && !state.startsWith('disabled') && events.includes('workflow_dispatch')

const shownRuns = (inputs: readonly unknown[]): number =>
  inputs.length === 0 ? SHOWN_RUNS : SHOWN_RUNS_BELOW_INPUTS

const RecentRuns = ({ visit, repo, workflow, runs, inputs }: Shown & { visit: Visit }) => {
  if (runs.length === 0)
    return (
      <EmptyState icon="play" title={t('No runs yet')}>
        {t('Its runs appear here once one of its events happens.')}
      </EmptyState>
    )
  const now = visit.hearth.clock.now()
  const all = withQuery(repoPath(repo.full_name, '/runs'), { workflow: workflow.id })
  return (
    <>
      <List label={t('Runs')}>
        {runs.map((run) => (
          <RunRow repo={repo.full_name} run={run} now={now} />
        ))}
      </List>
      {runs.length === shownRuns(inputs) && (
        <p>
          <a href={all}>{t('All runs of this workflow')}</a>
        </p>
      )}
    </>
  )
}

const WorkflowView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, workflow } = shown
  const here = workflowPath(repo.full_name, workflow.id)
  const isSwitchedOff = workflow.state.startsWith('disabled')
  return (
    <RepoFrame visit={visit} repo={repo} title={workflow.name} current="runs">
      <Breadcrumbs
        parts={[
          { label: t('Runs'), href: repoPath(repo.full_name, '/runs') },
          { label: workflow.name },
        ]}
      />
      <PageHead
        title={workflow.name}
        lead={
          <span class="row-meta">
            <a href={codePath(repo.full_name, 'blob', repo.default_branch, workflow.path)}>
              <code>{workflow.path}</code>
            </a>
            {workflow.events.map((event) => (
              <Chip>{event}</Chip>
            ))}
          </span>
        }
        actions={
          repo.permissions.maintain && !repo.archived ? (
            <ActionButton
              action={`${here}/${isSwitchedOff ? 'enable' : 'disable'}`}
              csrf={visit.csrf}
            >
              <Button icon={isSwitchedOff ? 'check' : 'stop'}>
                {isSwitchedOff ? t('Enable workflow') : t('Disable workflow')}
              </Button>
            </ActionButton>
          ) : undefined
        }
      />
      {isSwitchedOff && <Notice kind="info">{t('It is disabled: no event starts it.')}</Notice>}
      {workflow.errors.length > 0 && <Errors repo={repo} workflow={workflow} lines={shown.lines} />}
      {hasForm(repo, workflow) && (
        <DispatchForm
          visit={visit}
          repo={repo}
          workflow={workflow}
          inputs={shown.inputs}
          action={`${here}/dispatch`}
        />
      )}
      <RecentRuns visit={visit} {...shown} />
      <StatusBadge visit={visit} repo={repo.full_name} workflow={workflow} />
    </RepoFrame>
  )
}

const target = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.workflowId ?? '' })

export const workflowPage = page({
  path: '/:workspace/:repo/runs/workflow/:workflowId',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const workflow = await visit.call(getWorkflow, target(visit))
    const inputs = hasForm(repo, workflow) ? await loadInputs(visit, repo, workflow) : []
    const runs = await visit.call(listRuns, {
      repo: repo.full_name,
      workflow_id: workflow.id,
      per_page: shownRuns(inputs),
    })
    const file =
      workflow.errors.length === 0
        ? null
        : await visit.tryCall(getFile, {
            repo: repo.full_name,
            path: workflow.path,
            ref: repo.default_branch,
          })
    const lines = (file?.content ?? '').split('\n')
    return { repo, workflow, runs: runs.items, lines, inputs }
  },
  view: (shown, visit) => <WorkflowView visit={visit} {...shown} />,
})

export const dispatchForm = action({
  path: '/:workspace/:repo/runs/workflow/:workflowId/dispatch',
  page: workflowPage,
  submit: async (visit, fields) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const run = await visit.call(dispatchWorkflow, {
      ...target(visit),
      ref: fields.text('ref').trim(),
      inputs: readInputs(visit, fields, repo),
    })
    return redirectWithFlash(visit, repoPath(repoOf(visit), `/runs/${run.id}`), 'run-started')
  },
})

export const switchForms = [
  { path: 'enable', operation: enableWorkflow },
  { path: 'disable', operation: disableWorkflow },
].map(({ path, operation }) =>
  action({
    path: `/:workspace/:repo/runs/workflow/:workflowId/${path}`,
    page: workflowPage,
    submit: async (visit) => {
      const { id } = await visit.call(operation, target(visit))
      return redirectWithFlash(visit, workflowPath(repoOf(visit), id), 'saved')
    },
  }),
)
