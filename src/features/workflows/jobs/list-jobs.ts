import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { AttemptInput, RunId } from '../inputs.ts'
import { jobRecords, requireRun } from '../records.ts'
import { WorkflowJobs } from '../schema.ts'
import { listJobs as listJobRows } from './store-jobs.ts'

export const listJobs = operation({
  name: 'list_jobs',
  summary:
    'List the jobs of a run with their steps, results and annotations; of an earlier attempt with attempt.',
  keywords: ['which job failed', 'steps of a build', 'CI jobs'],
  route: 'GET /repos/{owner}/{name}/actions/runs/{id}/jobs',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: RunId, attempt: AttemptInput }),
  output: WorkflowJobs,

  handler: ({ hearth, db, repo }, { id, attempt }) => {
    const run = requireRun(db, repo, id)
    const rows = listJobRows(db, run.id, attempt ?? run.attempt)
    return { items: jobRecords(hearth, rows), next: null }
  },
})
