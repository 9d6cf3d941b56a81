import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { cancelRunNow } from './end-run.ts'
import { RunId } from '../inputs.ts'
import { requireRun, runRecord } from '../records.ts'
import { Run } from '../schema.ts'

export const cancelRun = operation({
  name: 'cancel_run',
  summary:
    'Cancel a run (Write). Jobs that wait end at once; running ones get ten seconds. Answers the run.',
  keywords: ['stop a build', 'abort CI'],
  route: 'POST /repos/{owner}/{name}/actions/runs/{id}/cancel',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: RunId }),
  output: Run,
  status: 202,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, repo, write }, { id }) =>
    write((tx) => {
      const run = requireRun(tx.db, repo, id)
      if (run.status === 'completed') throw conflict('not_open', `the run #${run.number} has ended`)
      cancelRunNow(tx, run, caller.id, `Cancelled by ${caller.username}`)
      return runRecord(hearth, requireRun(tx.db, repo, id))
    }),
})
