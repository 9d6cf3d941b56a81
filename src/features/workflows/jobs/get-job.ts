import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { JobId } from '../inputs.ts'
import { jobRecords, requireJob } from '../records.ts'
import { WorkflowJob } from '../schema.ts'

export const getJob = operation({
  name: 'get_job',
  summary: 'Get one job of a run with its steps, result and annotations.',
  keywords: ['why did the job fail', 'steps of a job'],
  route: 'GET /repos/{owner}/{name}/actions/jobs/{id}',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: JobId }),
  output: WorkflowJob,

  handler: ({ hearth, db, repo }, { id }) => {
    const [record] = jobRecords(hearth, [requireJob(db, repo, id)])
    if (!record) throw notFound(`the job ${id}`)
    return record
  },
})
