import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { RunId } from '../inputs.ts'
import { requireRun } from '../records.ts'
import { removeRun } from './store-runs.ts'
import { runRemoved } from '../events.ts'

export const deleteRun = operation({
  name: 'delete_run',
  summary: 'Delete a run that has ended with its jobs and logs (Maintain). The answer is empty.',
  keywords: ['remove a build', 'delete CI logs'],
  route: 'DELETE /repos/{owner}/{name}/actions/runs/{id}',
  toolset: 'workflows',
  access: writesRepo('maintain', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: RunId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const run = requireRun(tx.db, repo, id)
      if (run.status !== 'completed')
        throw conflict('in_progress', `the run #${run.number} has not ended: cancel it first`)
      tx.emit(runRemoved, { run_id: run.id })
      removeRun(tx, run.id)
      return null
    }),
})
