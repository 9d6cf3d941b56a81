import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireRun, RunId } from '#features/workflows/index.ts'
import { Artifacts } from './schema.ts'
import { artifactRecord, countArtifacts, listArtifactRows } from './store-artifacts.ts'

export const listArtifacts = operation({
  name: 'list_artifacts',
  summary:
    'List the artifacts of a run, newest first: files that its jobs uploaded, with their sizes and until when they are kept.',
  keywords: ['build output', 'uploaded files of a run', 'binaries of a build', 'test reports'],
  route: 'GET /repos/{owner}/{name}/actions/runs/{id}/artifacts',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: RunId, ...byPage() }),
  output: Artifacts,
  list: 'page',
  // Jobs choose the names, and the change controls the jobs.
  untrusted: ({ items }) => items.map((_, index) => `/items/${index}/name`),

  handler: ({ db, repo }, { id, ...paging }) => {
    const run = requireRun(db, repo, id)
    const window = windowOf(paging)
    const rows = listArtifactRows(db, run.id, window)
    return pageOf(rows.map(artifactRecord), window, countArtifacts(db, run.id))
  },
})
