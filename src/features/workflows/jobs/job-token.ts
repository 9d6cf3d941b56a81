/**
 * The token of a job. It is made when a runner takes the job, reaches the repository of the run
 * alone, and ends with the job. Only its hash is stored; while a runner elsewhere has the job, the
 * task holds it sealed, to hide it in the log.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import type { JobPlan } from '#actions'
import {
  actorOf,
  endToken,
  issueToken,
  listTokenRows,
  recordActor,
} from '#features/accounts/index.ts'
import { repoById, type RepoRow } from '#features/repos/index.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import type { JobRow } from './store-jobs.ts'
import type { RunRow } from '../runs/store-runs.ts'
import {
  findJobOfToken,
  findWorkflowActor,
  insertWorkflowActor,
  listTokensOfJob,
  putTokenOfJob,
} from './store-tokens.ts'
import { effectivePermissions, rightsOf, type RightsLimit } from './token-rights.ts'

/** The name of the agent that acts with the tokens of a person's runs. */
const ACTOR_NAME = 'workflows'
/** A token outlives the time limit of its job by this, for steps that clean up. */
const GRACE_MINUTES = 10

/**
 * Events that anybody may cause, and whose files are always those of the base: their jobs act for
 * the workspace, because they label or answer what people without Write send.
 */
const RUNS_OF_BASE: ReadonlySet<string> = new Set(['pull_request_target', 'workflow_run'])

/** Makes the token of a job and returns its secret; null when its repository is gone. */
export function makeJobToken(tx: Tx, job: JobRow, run: RunRow): string | null {
  const repo = repoById(tx.db, job.repo_id)
  const plan = job.plan === null ? null : (JSON.parse(job.plan) as JobPlan)
  if (!repo || plan?.kind !== 'steps') return null
  const by = actorOf(tx.hearth, run.rerun_by ?? run.actor_id)
  const isPersonal = by !== null && by.kind !== 'workspace' && !RUNS_OF_BASE.has(run.event_name)
  const owner_id = isPersonal ? (by.on_behalf_of?.id ?? by.id) : null
  const limit = by?.kind === 'agent' ? limitOfAgent(tx, by.id) : null
  const rights = rightsOf(effectivePermissions(plan.permissions, run.trusted === 1), limit)
  const { token, secret } = issueToken(tx, {
    ...actorFor(tx, owner_id, repo),
    source: 'workflow',
    name: job.id,
    scopes: rights.scopes,
    repos: [{ id: repo.id, workspace_id: repo.workspace_id, name: repo.name }],
    role: rights.role,
    expires_at: timestamp(tx.now_ms + (plan.timeoutMinutes + GRACE_MINUTES) * MINUTE),
  })
  putTokenOfJob(tx, token.id, job.id)
  return secret
}

/** A person's runs act as an agent of theirs; runs that nobody started act as the workspace. */
function actorFor(
  tx: Tx,
  owner_id: string | null,
  { workspace_id }: RepoRow,
): { actor_id: string; kind: 'agent' | 'workspace'; workspace_id: string | null } {
  if (owner_id === null) return { actor_id: workspace_id, kind: 'workspace', workspace_id }
  const known = findWorkflowActor(tx.db, owner_id)
  if (known !== null) return { actor_id: known, kind: 'agent', workspace_id: null }
  const id = typeId('agt', tx.now_ms)
  const username = `${actorOf(tx.hearth, owner_id).username}/${ACTOR_NAME}`
  recordActor(tx, { id, kind: 'agent', username, name: null, on_behalf_of: owner_id })
  insertWorkflowActor(tx, owner_id, id)
  return { actor_id: id, kind: 'agent', workspace_id: null }
}

/** What an agent may do now. One whose token has ended may do nothing. */
function limitOfAgent(tx: Tx, id: string): RightsLimit {
  const [token] = listTokenRows(tx.db, id, { limit: 1, offset: 0 })
  if (!token || (token.expires_at !== null && token.expires_at <= tx.now))
    return { scopes: ['repo:read', 'code:read'], role: 'read' }
  return {
    scopes: token.scopes === null ? null : (JSON.parse(token.scopes) as string[]),
    role: token.role,
  }
}

export function endJobToken(tx: Tx, job_id: string): void {
  for (const token_id of listTokensOfJob(tx.db, job_id)) endToken(tx, token_id, { ended: true })
}

/** The id of the job whose token a caller uses; null for other callers. */
export const jobOfCaller = (db: Db, caller: Caller | null): string | null => {
  const token = caller === null || caller.kind === 'anonymous' ? null : caller.token
  return token === null || token.kind === 'user' ? null : findJobOfToken(db, token.id)
}
