import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { requestScheduling } from '#features/workflows/index.ts'
import { notFound } from '#lib/errors.ts'
import { EnvironmentName } from './inputs.ts'
import { requireHome } from './records.ts'
import { findEnvironment, listWaitingOf, removeEnvironment, setDeploymentState } from './store.ts'

export const deleteEnvironment = operation({
  name: 'delete_environment',
  summary:
    'Delete an environment with its protection (Admin, people only). Deployments that wait for it are rejected; records of earlier ones stay. A later job that names it makes it anew, without protection.',
  keywords: ['remove a deployment target', 'unprotect production'],
  route: 'DELETE /repos/{owner}/{name}/environments/{environment}',
  toolset: 'workflows',
  access: writesRepoAsPerson('admin', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, environment: EnvironmentName }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { environment }) => {
    requireHome(repo)
    return write((tx) => {
      const row = findEnvironment(tx.db, repo.id, environment.trim())
      if (!row) throw notFound(`the environment ${environment}`)
      for (const { id, run_id } of listWaitingOf(tx.db, row.id)) {
        setDeploymentState(tx, id, 'rejected', `The environment ${row.name} was deleted`)
        requestScheduling(tx, run_id)
      }
      removeEnvironment(tx, row.id)
      tx.audit({
        action: 'environment.deleted',
        target: { kind: 'environment', id: row.id, name: row.name },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: {},
      })
      return null
    })
  },
})
