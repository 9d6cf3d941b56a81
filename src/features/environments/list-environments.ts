import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { environmentRecords, requireHome } from './records.ts'
import { Environments } from './schema.ts'
import { listEnvironmentRows } from './store.ts'

export const listEnvironments = operation({
  name: 'list_environments',
  summary:
    'List the environments that jobs of a repository deploy to, by name, with what protects each: reviewers, a waiting time, branches.',
  keywords: ['deployment targets', 'production', 'staging', 'protection rules of deployments'],
  route: 'GET /repos/{owner}/{name}/environments',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Environments,

  handler: ({ hearth, db, repo }) => {
    requireHome(repo)
    return { items: environmentRecords(hearth, listEnvironmentRows(db, repo.id)), next: null }
  },
})
