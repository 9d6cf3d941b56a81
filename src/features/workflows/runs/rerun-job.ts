import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { JobId } from '../inputs.ts'
import { jobRecords, requireJob, requireRun } from '../records.ts'
import { rerunOne } from './rerun.ts'
import { WorkflowJob } from '../schema.ts'

export const rerunJob = operation({
  name: 'rerun_job',
  summary:
    'Run one completed job of the latest attempt again, with the jobs that need it, also while others of the run go on (Write). Answers the job.',
  keywords: ['run a broken job again', 'retry one CI job'],
  route: 'POST /repos/{owner}/{name}/actions/jobs/{id}/rerun',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: JobId }),
  output: WorkflowJob,

  handler: ({ hearth, caller, repo, write }, { id }) =>
    write((tx) => {
      const job = requireJob(tx.db, repo, id)
      const run = requireRun(tx.db, repo, job.run_id)
      if (job.attempt !== run.attempt)
        throw conflict('not_open', `${job.name} belongs to an earlier attempt`)
      if (job.status !== 'completed') throw conflict('in_progress', `${job.name} has not ended`)
      const [record] = jobRecords(hearth, [rerunOne(tx, run, job, caller)])
      if (!record) throw notFound(`the job ${id}`)
      return record
    }),
})
