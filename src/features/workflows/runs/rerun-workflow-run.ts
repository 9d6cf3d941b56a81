import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RerunInput } from '../inputs.ts'
import { requireRun, runRecord } from '../records.ts'
import { rerun } from './rerun.ts'
import { Run } from '../schema.ts'

export const rerunWorkflowRun = operation({
  name: 'rerun_workflow_run',
  summary:
    'Run all jobs of a completed run again, or only those that did not succeed (failed_only), as its next attempt (Write). Commit and workflow file stay the same. Answers the run.',
  keywords: ['retry CI', 'run the build again'],
  route: 'POST /repos/{owner}/{name}/actions/runs/{id}/rerun',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  input: RerunInput,
  output: Run,

  handler: ({ hearth, caller, repo, write }, { id, failed_only: failedOnly = false }) =>
    write((tx) =>
      runRecord(hearth, rerun(tx, requireRun(tx.db, repo, id), caller, { failedOnly })),
    ),
})
