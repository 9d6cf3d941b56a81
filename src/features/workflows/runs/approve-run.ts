import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { RunId } from '../inputs.ts'
import { requireRun, runRecord } from '../records.ts'
import { requestScheduling } from '../jobs/request-scheduling.ts'
import { Run } from '../schema.ts'
import { setApproved } from './store-runs.ts'

export const approveRun = operation({
  name: 'approve_run',
  summary:
    'Let a run of a change by somebody without Write begin (Write, people only). It gets no secrets and a token that only reads. Answers the run.',
  keywords: [
    'let CI of a stranger run',
    'approve a workflow of a fork',
    'allow CI of a first contribution',
  ],
  route: 'POST /repos/{owner}/{name}/actions/runs/{id}/approve',
  toolset: 'workflows',
  access: writesRepoAsPerson('write', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: RunId }),
  output: Run,

  handler: ({ hearth, caller, repo, write }, { id }) =>
    write((tx) => {
      const run = requireRun(tx.db, repo, id)
      if (run.status !== 'waiting' || run.waiting_for !== 'approval')
        throw conflict('not_ready', `the run #${run.number} waits for no approval`)
      setApproved(tx, run.id, caller.id)
      requestScheduling(tx, run.id)
      tx.audit({
        action: 'run.approved',
        target: { kind: 'run', id: run.id, name: `${run.name} #${run.number}` },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: { sha: run.head_sha, pull: run.pull },
      })
      return runRecord(hearth, requireRun(tx.db, repo, id))
    }),
})
