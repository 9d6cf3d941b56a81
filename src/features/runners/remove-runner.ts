import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Nothing, Type } from '#core/schema.ts'
import { endJobsOfRunner } from '#features/workflows/index.ts'
import { RunnerId } from './inputs.ts'
import { auditRunner, requireRunner, runnerOwnerOf, runnerRoutes, writesRunners } from './owner.ts'
import { removeRunnerRow } from './store-runners.ts'

export const removeRunner = operation({
  name: 'remove_runner',
  summary:
    'Remove a runner of a repository (Admin) or a workspace (Owners), by a person. Its token ends; a job that it has fails, or is queued again if it had not begun. The answer is empty.',
  keywords: ['unregister a runner', 'delete a build machine'],
  route: runnerRoutes('DELETE', 'runners/{id}'),
  toolset: 'workflows',
  access: writesRunners,
  input: Type.Object({ ...ownerInput, id: RunnerId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, workspace, write }, { id }) =>
    write((tx) => {
      const row = requireRunner(tx.db, runnerOwnerOf({ repo, workspace }), id)
      endJobsOfRunner(tx, row.id)
      removeRunnerRow(tx, row.id)
      auditRunner(tx, 'removed', row, repo?.workspace_id ?? workspace?.id ?? null)
      return null
    }),
})
