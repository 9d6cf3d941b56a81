/**
 * Decides what the jobs of a run may do now: after it was planned or approved, after a job ended,
 * and when a concurrency group is free. `decide` of the room actions decides; this file reads the
 * rows, applies the decisions in one transaction, and reads called workflows.
 */
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { handler } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  decide,
  ExpressionFault,
  initialJobs,
  runConcurrency,
  runTitle,
  type Decision,
  type JobPlan,
  type JobState,
  type RunState,
  type Workflow,
} from '#actions'
import { variablesFor } from '#features/variables/index.ts'
import { repoById } from '#features/repos/index.ts'
import { readCallee, type CalledFile } from '../files/called-workflows.ts'
import { beginJob, isHeld } from './begin-job.ts'
import { cancelJob, endJob, endRun } from '../runs/end-run.ts'
import { githubContext } from './job-contexts.ts'
import { enterGroupAsRun } from '../runs/concurrency.ts'
import { schedulingRequested } from './request-scheduling.ts'
import { runChanges } from '../runs/run-changes.ts'
import { insertJobRow, listJobs, removeJobRow, setRunning, type JobRow } from './store-jobs.ts'
import { findRun, setCallees, setRunStatus, setRunTitle, type RunRow } from '../runs/store-runs.ts'
import { readStoredModel, readWorkflowFile, type WorkflowFile } from '../files/workflow-files.ts'

/** Decisions follow from decisions; a run of many levels of jobs needs a round for each. */
const MAX_ROUNDS = 200

type Load = Extract<Decision, { kind: 'load' }>

export const scheduleJobs = job<{ run_id: string }>({
  kind: 'schedule_jobs',
  retry: ['1s', '10s', '1m', '10m'],
  run: async ({ hearth, signal }, { run_id }) => {
    for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round++) {
      const run = findRun(hearth.db, run_id)
      if (!run || run.status === 'completed' || run.waiting_for === 'approval') return
      // After a new version, models may have to be read from git again.
      if (!(await readModels(hearth, run))) return await failRun(hearth, run_id)
      const loads = await writeAs(hearth, null, (tx) => scheduleNow(tx, run_id))
      if (loads.length === 0) return
      for (const load of loads) await loadCallee(hearth, run_id, load)
    }
  },
})

export const enqueueScheduling = handler(
  'decisions about a run',
  schedulingRequested,
  (tx, { run_id }) => void tx.enqueue(scheduleJobs, { run_id }, { key: run_id }),
)

const failRun = (hearth: Hearth, run_id: string): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const run = findRun(tx.db, run_id)
    if (run) endRun(tx, run, 'startup_failure', `${run.path} can no longer be read`)
  })

const fileOf = (run: RunRow): WorkflowFile => ({ path: run.path, blob: run.workflow_blob })

const calleesOf = (run: RunRow): Record<string, CalledFile> =>
  JSON.parse(run.callees) as Record<string, CalledFile>

/** A called workflow may be of another repository. */
const repoIdOf = (run: RunRow, file: WorkflowFile & { readonly repo_id?: string }): string =>
  file.repo_id ?? run.repo_id

/** Reads the files of a run into the table of models. False when one cannot be read. */
export async function readModels(hearth: Hearth, run: RunRow): Promise<boolean> {
  for (const file of [fileOf(run), ...Object.values(calleesOf(run))]) {
    const repo = repoById(hearth.db, repoIdOf(run, file))
    if (!repo || (await readWorkflowFile(hearth, repo, file)).workflow === null) return false
  }
  return true
}

async function loadCallee(hearth: Hearth, run_id: string, load: Load): Promise<void> {
  const run = findRun(hearth.db, run_id)
  if (!run) return
  const caller = listJobs(hearth.db, run_id, run.attempt).find(({ key }) => key === load.key)
  const within = caller?.parent ? (calleesOf(run)[caller.parent] ?? null) : null
  const found = await readCallee(hearth, run, load, within)
  await writeAs(hearth, null, (tx) => {
    const now = findRun(tx.db, run_id)
    if (!now || now.status === 'completed') return
    if ('file' in found)
      setCallees(tx, run_id, JSON.stringify({ ...calleesOf(now), [load.key]: found.file }))
    else {
      const row = listJobs(tx.db, run_id, now.attempt).find(({ key }) => key === load.key)
      if (row) endJob(tx, row, { conclusion: 'failure', reason: found.problem, outputs: {} })
    }
  })
}

/** Applies decisions until there are none. Returns the workflows to read first. */
function scheduleNow(tx: Tx, run_id: string): Load[] {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const run = findRun(tx.db, run_id)
    if (!run || run.status === 'completed') return []
    const rows = listJobs(tx.db, run_id, run.attempt)
    const state = stateOf(tx.hearth, run, rows)
    if (rows.length === 0) {
      if (!beginRun(tx, run, state)) return []
      continue
    }
    const decisions = decide(state)
    const loads = decisions.filter((decision) => decision.kind === 'load')
    const others = decisions.filter((decision) => decision.kind !== 'load')
    for (const decision of others) apply(tx, run, decision)
    if (others.length === 0 && !askHeldAgain(tx, run)) {
      if (loads.length === 0) showWhatItWaitsFor(tx, run_id)
      tx.afterCommit(() => runChanges(tx.hearth).notify(run_id))
      return loads
    }
  }
  throw new Error(`decisions about ${run_id} do not end`)
}

/** Asks jobs that wait whether they may begin now. True when one was queued or ended. */
function askHeldAgain(tx: Tx, run: RunRow): boolean {
  let changed = false
  for (const row of listJobs(tx.db, run.id, run.attempt))
    if (isHeld(row) && beginJob(tx, run, row)) changed = true
  return changed
}

/** Title, concurrency group and jobs of a run. False when it has to wait or cannot start. */
function beginRun(tx: Tx, run: RunRow, state: RunState): boolean {
  const title = runTitle(state)
  if (title !== null) setRunTitle(tx, run.id, title.slice(0, 200))
  try {
    const concurrency = runConcurrency(state)
    const reason = concurrency && enterGroupAsRun(tx, run, concurrency)
    if (reason !== null) {
      setRunStatus(tx, run.id, 'waiting', 'concurrency', reason)
      return false
    }
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    endRun(tx, run, 'startup_failure', `${run.path} concurrency: ${error.message}`.slice(0, 500))
    return false
  }
  initialJobs(state.workflow).forEach((job, index) => insertJob(tx, run, job, place(index)))
  return true
}

export function stateOf(hearth: Hearth, run: RunRow, rows: readonly JobRow[]): RunState {
  const repo = repoById(hearth.db, run.repo_id)
  const model = (file: WorkflowFile): Workflow => {
    const workflow = readStoredModel(hearth.db, repoIdOf(run, file), file)
    if (!workflow) throw new Error(`the model of ${file.path} is missing`)
    return workflow
  }
  const scope = {
    repo_id: run.repo_id,
    workspace_id: repo?.workspace_id ?? '',
    environment: null,
  }
  return {
    workflow: model(fileOf(run)),
    callees: Object.fromEntries(
      Object.entries(calleesOf(run)).map(([key, file]) => [key, model(file)]),
    ),
    jobs: rows.map(jobState),
    github: githubContext(hearth, run),
    inputs: JSON.parse(run.inputs),
    vars: Object.fromEntries(variablesFor(hearth.db, scope)),
    cancelled: run.cancelled_at !== null,
  }
}

const jobState = (row: JobRow): JobState => ({
  key: row.key,
  parent: row.parent,
  jobId: row.job_id,
  plan: row.plan === null ? null : (JSON.parse(row.plan) as JobPlan),
  status: row.stage,
  conclusion: row.conclusion as JobState['conclusion'],
  outputs: JSON.parse(row.outputs) as Record<string, string>,
  endedAs: row.ended_as,
  cancelRequested: row.cancel_requested === 1,
  isHeld: isHeld(row),
})

function apply(tx: Tx, run: RunRow, decision: Decision): void {
  const rows = listJobs(tx.db, run.id, run.attempt)
  const at = (key: string) => rows.find((row) => row.key === key)
  if (decision.kind === 'expand') {
    const old = at(decision.key)
    if (old) removeJobRow(tx, old.id)
    const position = old?.position ?? ''
    decision.into.forEach((state, index) =>
      insertJob(
        tx,
        run,
        state,
        decision.into.length === 1 ? position : `${position}.${place(index)}`,
      ),
    )
  } else if (decision.kind === 'add') {
    const parent = at(decision.parent)
    if (parent) setRunning(tx, parent.id)
    decision.jobs.forEach((state, index) =>
      insertJob(tx, run, state, `${parent?.position ?? ''}.${place(index)}`),
    )
  } else if (decision.kind === 'start') {
    const row = at(decision.key)
    if (row) beginJob(tx, run, row)
  } else if (decision.kind === 'end') {
    const row = at(decision.key)
    if (row) endJob(tx, row, decision)
  } else if (decision.kind === 'cancel') {
    const row = at(decision.key)
    if (row) cancelJob(tx, row, decision.reason)
  } else if (decision.kind === 'end-run') endRun(tx, run, decision.conclusion)
}

/** A part of a position; positions sort as text. */
const place = (index: number): string => String(index).padStart(4, '0')

function insertJob(tx: Tx, run: RunRow, state: JobState, position: string): void {
  const repo = repoById(tx.db, run.repo_id)
  const file = state.parent === null ? fileOf(run) : calleesOf(run)[state.parent]
  const workflow = file && readStoredModel(tx.db, repoIdOf(run, file), file)
  const definition = workflow?.jobs.find(({ id }) => id === state.jobId)
  const { plan } = state
  insertJobRow(tx, {
    id: typeId('job', tx.now_ms),
    run_id: run.id,
    repo_id: run.repo_id,
    workspace_id: repo?.workspace_id ?? '',
    attempt: run.attempt,
    key: state.key,
    parent: state.parent,
    position,
    job_id: state.jobId,
    name: (plan?.name ?? state.key).slice(0, 255),
    needs: JSON.stringify(definition?.needs ?? []),
    plan: plan && JSON.stringify(plan),
    labels: JSON.stringify(plan?.kind === 'steps' ? plan.runsOn : []),
    concurrency_group: plan?.concurrency?.group ?? null,
  })
}

/** A run whose unfinished jobs all wait says what the first of them waits for. */
function showWhatItWaitsFor(tx: Tx, run_id: string): void {
  const run = findRun(tx.db, run_id)
  if (!run || run.status === 'completed') return
  const open = listJobs(tx.db, run_id, run.attempt).filter(({ status }) => status !== 'completed')
  if (open.some(({ status }) => status === 'in_progress'))
    return setRunStatus(tx, run_id, 'in_progress', null)
  if (open.some((row) => row.status === 'queued' && row.waiting_for === null))
    return setRunStatus(tx, run_id, 'queued', null)
  const waits = open.find((row) => row.status === 'queued' || isHeld(row))
  if (waits && waits.waiting_for !== null)
    setRunStatus(tx, run_id, 'waiting', waits.waiting_for, waits.reason)
}
