import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RerunInput } from '../inputs.ts'
import { requireRun, runRecord } from '../records.ts'
import { rerun } from './rerun.ts'
import { Run } from '../schema.ts'

export const rerunFailedJobs = operation({
  name: 'rerun_failed_jobs',
  summary:
    'Run the jobs of a completed run that did not succeed again, with those that need them, as its next attempt (Write). Answers the run.',
  keywords: ['retry failed CI jobs', 'rerun failed tests'],
  route: 'POST /repos/{owner}/{name}/actions/runs/{id}/rerun-failed-jobs',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  input: RerunInput,
  output: Run,

  handler: ({ hearth, caller, repo, write }, { id, failed_only: failedOnly = true }) =>
    write((tx) =>
      runRecord(hearth, rerun(tx, requireRun(tx.db, repo, id), caller, { failedOnly })),
    ),
})
