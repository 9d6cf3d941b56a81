/**
 * The merge queue waits for runs of workflows with `merge_group` on the commit that would land. The
 * files are those of that commit; for the work of agents those of the base, because an agent does
 * not turn its own checks green.
 */
import type { Hearth } from '#core/hearth.ts'
import { reaction } from '#core/events.ts'
import { isTypeId } from '#core/ids.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  candidateGates,
  candidateTested,
  findPull,
  type Candidate,
  type CandidateResult,
} from '#features/pulls/index.ts'
import { branchRef, repoById, type RepoRow } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import { cancelRunNow } from '../runs/end-run.ts'
import { commonPayload } from './event-payload.ts'
import { workflowCompleted } from '../events.ts'
import { runnerKinds } from '../extension-points.ts'
import { runsWorkflows, type Occasion } from './occasion.ts'
import { planOccasion } from '../runs/plan-runs.ts'
import {
  findCandidate,
  listCandidatesOfCommit,
  putCandidate,
  removeCandidate,
  setPlanned,
  type CandidateRow,
} from './store-candidates.ts'
import { listRunRows, type RunRow } from '../runs/store-runs.ts'
import { hasListener } from '../files/store-workflows.ts'

const MAX_RUNS = 200

function start(tx: Tx, { id, pull, base_sha, sha, queued_by }: Candidate): boolean {
  const { repo_id, base_ref, number } = pull
  if (!runsWorkflows(repoById(tx.db, repo_id)) || runnerKinds(tx.hearth).length === 0) return false
  if (!hasListener(tx.db, repo_id, 'merge_group')) return false
  putCandidate(tx, {
    entry_id: id,
    repo_id,
    sha,
    base_sha,
    base_ref,
    pull: number,
    actor_id: queued_by,
  })
  tx.enqueue(planCandidate, { entry_id: id, sha })
  return true
}

/** The runs of a candidate, the latest of each workflow. */
function runsOf(db: Db, { repo_id, sha }: Pick<CandidateRow, 'repo_id' | 'sha'>): RunRow[] {
  const window = { limit: MAX_RUNS, offset: 0 }
  const latest = new Map<string, RunRow>()
  for (const run of listRunRows(db, { repo_id, sha, event: 'merge_queue' }, window))
    if (!latest.has(run.workflow_id)) latest.set(run.workflow_id, run)
  return [...latest.values()]
}

function resultOf(db: Db, id: string, sha: Oid): CandidateResult | null {
  const candidate = findCandidate(db, id)
  if (candidate?.sha !== sha) return null
  if (candidate.planned === 0) return { state: 'pending', why: null }
  const runs = runsOf(db, candidate)
  const broken = runs.find(
    ({ status, conclusion }) =>
      status === 'completed' && !['success', 'skipped', 'neutral'].includes(conclusion ?? ''),
  )
  if (broken)
    return {
      state: 'failed',
      why: `the workflow ${broken.name} ended as ${broken.conclusion?.replaceAll('_', ' ')}`,
    }
  const isPending = runs.some(({ status }) => status !== 'completed')
  return { state: isPending ? 'pending' : 'passed', why: null }
}

function drop(tx: Tx, id: string): void {
  const candidate = findCandidate(tx.db, id)
  if (!candidate) return
  removeCandidate(tx, id)
  for (const run of runsOf(tx.db, candidate))
    cancelRunNow(tx, run, null, 'The merge queue no longer needs it')
}

export const candidateGate = candidateGates.with({ start, resultOf, drop })

export const planCandidate = job<{ entry_id: string; sha: Oid }>({
  kind: 'plan_candidate_runs',
  run: async ({ hearth }, { entry_id, sha }) => {
    const candidate = findCandidate(hearth.db, entry_id)
    const repo = candidate && repoById(hearth.db, candidate.repo_id)
    if (!repo || candidate.sha !== sha) return
    await planOccasion(hearth, occasionOfCandidate(hearth, repo, candidate))
    await writeAs(hearth, null, (tx) => {
      setPlanned(tx, entry_id)
      tx.emit(candidateTested, { id: entry_id })
    })
  },
})

function occasionOfCandidate(hearth: Hearth, repo: RepoRow, candidate: CandidateRow): Occasion {
  const { entry_id, sha, base_sha, base_ref, pull: number, actor_id } = candidate
  const pull = findPull(hearth.db, repo.id, number)
  const ref = `refs/queue/${base_ref}/${number}`
  return {
    repo,
    event: 'merge_queue',
    names: [{ name: 'merge_group', action: 'checks_requested' }],
    ref,
    sha,
    head_sha: sha,
    files_sha: pull && (pull.agent !== null || isTypeId(pull.author_id, 'agt')) ? base_sha : sha,
    before: base_sha,
    branch: base_ref,
    tag: null,
    message: null,
    pull: null,
    actor_id,
    isTrusted: true,
    needsApproval: false,
    payload: {
      merge_group: {
        head_sha: sha,
        head_ref: ref,
        base_sha,
        base_ref: branchRef(base_ref),
      },
      ...commonPayload(hearth, repo, actor_id),
    },
    title: `Merge queue: #${number} ${pull?.title ?? ''}`.slice(0, 200),
    event_id: `${entry_id} ${sha}`,
  }
}

export const followCandidateRuns = reaction(
  'the merge queue hears of runs of its candidates',
  workflowCompleted,
  (tx, { repo_id, data }) => {
    for (const { entry_id } of listCandidatesOfCommit(tx.db, repo_id ?? '', data.sha))
      tx.emit(candidateTested, { id: entry_id })
  },
)
