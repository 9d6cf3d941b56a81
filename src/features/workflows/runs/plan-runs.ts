/**
 * Makes the runs that an event starts. The event's transaction only adds a job, so a push does not
 * pay for workflows. The job reads the workflow files of the event's commit; files that it has seen
 * before cost no parsing.
 */
import { findEvents } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { matchEvent, MAX_FILTERED_PATHS, type Problem, type Workflow } from '#actions'
import { actorOf } from '#features/accounts/index.ts'
import { findPull } from '#features/pulls/index.ts'
import { headCommit, repoById } from '#features/repos/index.ts'
import { tellCompleted } from './end-run.ts'
import type { NamedEvent } from '../triggers/event-actions.ts'
import { occasionsOf, type Occasion } from '../triggers/occasion.ts'
import { requestScheduling } from '../jobs/request-scheduling.ts'
import { setSchedules } from '../triggers/set-schedules.ts'
import { workflowRunners } from '../extension-points.ts'
import { cancelPullRuns } from './cancel-pull-runs.ts'
import { findRun, insertRunRow, type NewRun } from './store-runs.ts'
import {
  allocateRunNumber,
  findWorkflowByPath,
  insertWorkflow,
  listPresentWorkflows,
  setAbsent,
  setPresent,
  type WorkflowRow,
} from '../files/store-workflows.ts'
import {
  encodePayload,
  listWorkflowFiles,
  readWorkflowFile,
  type ReadFile,
  type WorkflowFile,
} from '../files/workflow-files.ts'

export const planRuns = job<{ event_id: string }>({
  kind: 'plan_runs',
  queue: 'workflows',
  run: async ({ hearth }, { event_id }) => {
    const [event] = findEvents(hearth.db, [event_id])
    if (!event || workflowRunners.all(hearth).length === 0) return
    for (const occasion of await occasionsOf(hearth, event)) await planOccasion(hearth, occasion)
  },
})

export async function planOccasion(hearth: Hearth, occasion: Occasion): Promise<void> {
  const files = await listWorkflowFiles(hearth, occasion.repo, occasion.files_sha)
  if (isDefaultBranch(occasion)) await recordFiles(hearth, occasion, files)
  if (files.length > 0) await startRuns(hearth, occasion, files)
}

const isDefaultBranch = ({ event, ref, repo }: Occasion): boolean =>
  event === 'push' && ref === `refs/heads/${repo.default_branch}`

/** Lists the workflows of a repository that came from another forge, and starts none. */
export const findWorkflows = job<{ repo_id: string }>({
  kind: 'find_workflows',
  queue: 'workflows',
  run: async ({ hearth }, { repo_id }) => {
    const repo = repoById(hearth.db, repo_id)
    const sha = repo && headCommit(hearth, repo)
    if (!repo || sha === null) return
    await recordFiles(hearth, { repo }, await listWorkflowFiles(hearth, repo, sha))
  },
})

/** Keeps the list of workflows as the default branch has them. */
async function recordFiles(
  hearth: Hearth,
  { repo }: Pick<Occasion, 'repo'>,
  files: readonly WorkflowFile[],
): Promise<void> {
  const present = listPresentWorkflows(hearth.db, repo.id)
  const known = new Map(present.map((row) => [row.path, row.blob]))
  const changed = files.filter(({ path, blob }) => known.get(path) !== blob)
  const gone = present.filter(({ path }) => !files.some((file) => file.path === path))
  if (changed.length === 0 && gone.length === 0) return
  const read: ReadFile[] = []
  for (const file of changed) read.push(await readWorkflowFile(hearth, repo, file))
  await writeAs(hearth, null, (tx) => {
    for (const { id } of gone) {
      setAbsent(tx, id)
      setSchedules(tx, id, null)
    }
    for (const file of read) {
      const { id } = workflowRow(tx, repo.id, file)
      setSchedules(tx, id, file.workflow)
      setPresent(tx, id, {
        name: nameOf(file),
        blob: file.blob,
        errors: JSON.stringify(file.problems.map(errorOf)),
        events: JSON.stringify(Object.keys(file.workflow?.on ?? {})),
      })
    }
  })
}

const nameOf = ({ workflow, path }: ReadFile): string => (workflow?.name ?? path).slice(0, 200)

const errorOf = ({ line, column, text }: Problem) => ({ line, column, message: text })

/** The row of a workflow file; inserted when it is new. */
function workflowRow(tx: Tx, repo_id: string, file: ReadFile): WorkflowRow {
  const known = findWorkflowByPath(tx.db, repo_id, file.path)
  if (known) return known
  insertWorkflow(tx, { id: typeId('wfl', tx.now_ms), repo_id, path: file.path, name: nameOf(file) })
  const made = findWorkflowByPath(tx.db, repo_id, file.path)
  if (!made) throw new Error(`the workflow ${file.path} was not inserted`)
  return made
}

/** What starts in one file, or what is wrong with it. */
type Start = { readonly file: ReadFile; readonly started_by: NamedEvent }

async function startRuns(
  hearth: Hearth,
  occasion: Occasion,
  files: readonly WorkflowFile[],
): Promise<void> {
  const paths = changedPathsOf(hearth, occasion)
  const starts: Start[] = []
  for (const one of files) {
    if (occasion.onlyPath !== undefined && one.path !== occasion.onlyPath) continue
    const file = await readWorkflowFile(hearth, occasion.repo, one)
    if (file.workflow === null) {
      if (await isNewFile(hearth, occasion, one))
        starts.push({ file, started_by: occasion.names[0] ?? { name: 'push', action: null } })
      continue
    }
    const started_by = await startedBy(occasion, file.workflow, paths)
    if (started_by !== null) starts.push({ file, started_by })
  }
  if (starts.length === 0) return
  const own = await baseBlobsOf(hearth, occasion)
  await writeAs(hearth, null, (tx) => {
    for (const start of starts) startRun(tx, occasion, start, own)
  })
}

/** The event that starts a workflow; null when none does. */
async function startedBy(
  occasion: Occasion,
  workflow: Workflow,
  paths: () => Promise<readonly string[] | null>,
): Promise<NamedEvent | null> {
  for (const named of occasion.names) {
    const { name, action } = named
    const trigger = workflow.on[name]
    if (!trigger) continue
    const hasPaths = trigger.paths !== null || trigger.pathsIgnore !== null
    const changed = hasPaths ? await paths() : null
    const { matches } = matchEvent(workflow, {
      name,
      action,
      branch: occasion.branch,
      tag: occasion.tag,
      changedPaths: changed,
      message: occasion.message,
      workflow: occasion.followed ?? null,
      cron: occasion.cron ?? null,
    })
    if (matches) return named
  }
  return null
}

/** A file with errors tells so once: when a push or pull request brings or changes it. */
async function isNewFile(
  { git }: Hearth,
  { repo, before, event }: Occasion,
  { path, blob }: WorkflowFile,
): Promise<boolean> {
  if (event !== 'push' && event !== 'pull_request') return false
  if (before === null) return true
  return (await git.findEntry(repo.store, before, path))?.oid !== blob
}

/** The changed paths, read once; null (which matches every filter) for very many. */
function changedPathsOf(
  { git }: Hearth,
  { repo, before, sha, changed_sha = sha }: Occasion,
): () => Promise<readonly string[] | null> {
  let reading: Promise<readonly string[] | null> | null = null
  const read = async () => {
    const { files } = await git.diff(repo.store, before, changed_sha, { hunks: false })
    if (files.length > MAX_FILTERED_PATHS) return null
    return files.flatMap(({ path, old_path }) => (old_path ? [path, old_path] : [path]))
  }
  return () => (reading ??= read())
}

/**
 * For changes by agents: the workflow files of the base, with which theirs are compared. Null for
 * changes by others.
 */
async function baseBlobsOf(
  hearth: Hearth,
  { repo, pull, actor_id, event, files_sha }: Occasion,
): Promise<ReadonlyMap<string, string> | null> {
  const row = pull === null ? null : findPull(hearth.db, repo.id, pull)
  const isAgents =
    (actor_id !== null && actorOf(hearth, actor_id).kind === 'agent') ||
    (row !== null && (row.agent !== null || actorOf(hearth, row.author_id).kind === 'agent'))
  if (!isAgents || (event !== 'push' && event !== 'pull_request')) return null
  if (row === null)
    return new Map(
      listPresentWorkflows(hearth.db, repo.id).map(({ path, blob }) => [path, blob ?? '']),
    )
  if (row.base_sha === files_sha) return null
  const files = await listWorkflowFiles(hearth, repo, row.base_sha)
  return new Map(files.map(({ path, blob }) => [path, blob]))
}

function startRun(
  tx: Tx,
  occasion: Occasion,
  { file, started_by }: Start,
  baseBlobs: ReadonlyMap<string, string> | null,
): void {
  const workflow = workflowRow(tx, occasion.repo.id, file)
  if (workflow.switched !== 'active') return
  const counts = baseBlobs === null || baseBlobs.get(file.path) === file.blob
  const { name, action, extra } = started_by
  const payload = { ...occasion.payload, ...(action === null ? {} : { action }), ...extra }
  insertRun(
    tx,
    { ...occasion, payload },
    { workflow, file, event_name: name, counts, inputs: {}, depth: occasion.depth ?? 0 },
  )
}

export type RunStart = {
  readonly workflow: WorkflowRow
  readonly file: ReadFile
  readonly event_name: string
  readonly counts: boolean
  readonly inputs: Readonly<Record<string, unknown>>
  readonly depth: number
}

/** Inserts a run and asks for its jobs. Null when its event has made it before. */
export function insertRun(tx: Tx, occasion: Occasion, start: RunStart): string | null {
  const { workflow, file } = start
  const id = typeId('run', tx.now_ms)
  const [problem] = file.problems
  const failed = file.workflow === null
  const waits = !failed && occasion.needsApproval
  const row: NewRun = {
    id,
    repo_id: occasion.repo.id,
    workflow_id: workflow.id,
    path: file.path,
    name: nameOf(file),
    title: occasion.title,
    number: allocateRunNumber(tx, workflow.id),
    event: occasion.event,
    event_name: start.event_name,
    ref: occasion.ref,
    sha: occasion.sha,
    head_sha: occasion.head_sha,
    workflow_sha: occasion.files_sha,
    workflow_blob: file.blob,
    pull: occasion.pull,
    status: failed ? 'completed' : waits ? 'waiting' : 'queued',
    conclusion: failed ? 'startup_failure' : null,
    waiting_for: waits ? 'approval' : null,
    error: problem ? `${problem.file}:${problem.line}:${problem.column} ${problem.text}` : null,
    actor_id: occasion.actor_id,
    trusted: occasion.isTrusted ? 1 : 0,
    counts: start.counts ? 1 : 0,
    payload: encodePayload(occasion.payload),
    inputs: JSON.stringify(start.inputs),
    event_id: occasion.event_id,
    depth: start.depth,
  }
  if (!insertRunRow(tx, row)) return null
  if (start.event_name === 'pull_request') cancelPullRuns(tx, occasion, workflow.id, id)
  const made = findRun(tx.db, id)
  if (failed && made) tellCompleted(tx, made)
  else if (!waits) requestScheduling(tx, id)
  return id
}
