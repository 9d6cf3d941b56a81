import { siteAdmin } from '#core/access.ts'
import { findJob, retryJob as retry } from '#core/jobs.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { jobRecord } from './job-record.ts'
import { BackgroundJob } from './schema.ts'

export const retryJob = operation({
  name: 'retry_job',
  summary:
    'Run a background job now that failed, or that waits for its next try. Not one that runs. For site administrators, people only. Answers with the job.',
  keywords: ['run a failed job again', 'background job again'],
  route: 'POST /admin/jobs/{id}/retry',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ id: Type.String({ maxLength: 100, description: 'The id of a job.' }) }),
  output: BackgroundJob,

  handler: ({ write }, { id }) =>
    write((tx) => {
      const before = findJob(tx.db, id)
      if (!before) throw notFound(`the job ${id}`)
      const after = retry(tx.db, id, tx.now_ms)
      if (!after) throw conflict('in_progress', 'this job runs already')
      tx.audit({
        action: 'site.job_retried',
        target: { kind: 'job', id, name: before.kind },
        data: { before: { state: before.state, attempt: before.attempt } },
      })
      tx.afterCommit(() => tx.hearth.jobs.wake())
      return jobRecord(after)
    }),
})
