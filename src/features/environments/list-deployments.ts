import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { EnvironmentName } from './inputs.ts'
import { deploymentRecords, requireHome } from './records.ts'
import { DEPLOYMENT_STATES, Deployments } from './schema.ts'
import { listDeploymentRows } from './store.ts'

export const listDeployments = operation({
  name: 'list_deployments',
  summary:
    'List the deployments of a repository, newest first, by environment, state, commit or run: what is deployed where, what waits for whom, and who approved it.',
  keywords: ['what is in production', 'release history', 'waiting for approval'],
  route: 'GET /repos/{owner}/{name}/deployments',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    environment: Type.Optional(EnvironmentName),
    state: Type.Optional(OneOf(DEPLOYMENT_STATES)),
    sha: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })),
    run: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a run.' })),
    ...byPage(),
  }),
  output: Deployments,
  list: 'page',

  handler: ({ hearth, db, repo }, { environment, state, sha, run, ...paging }) => {
    requireHome(repo)
    const window = windowOf(paging)
    const rows = listDeploymentRows(
      db,
      { repo_id: repo.id, environment: environment?.trim(), state, sha, run_id: run },
      { ...window, limit: window.limit + 1 },
    )
    return pageOf(deploymentRecords(hearth, rows), window)
  },
})
