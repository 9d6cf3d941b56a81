import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { FreeForm, RepoPath, Type } from '#core/schema.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { dispatchInputs } from './dispatch-inputs.ts'
import { occasionOfDispatch } from './dispatch.ts'
import { runnerKinds } from '../extension-points.ts'
import { WorkflowId } from '../inputs.ts'
import { requireRunMinutes } from '../jobs/run-time.ts'
import { insertRun } from '../runs/plan-runs.ts'
import { requireRun, requireWorkflow, runRecord } from '../records.ts'
import { Run } from '../schema.ts'
import { readFileAt } from './workflow-files.ts'

export const dispatchWorkflow = operation({
  name: 'dispatch_workflow',
  summary:
    'Start a workflow that has workflow_dispatch by hand, on a branch or tag, with its inputs (Write). Answers the run, which goes on.',
  keywords: ['run a workflow manually', 'trigger CI', 'start a deployment'],
  route: 'POST /repos/{owner}/{name}/actions/workflows/{id}/dispatch',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: WorkflowId,
    ref: Type.String({ minLength: 1, maxLength: 255, description: 'A branch or tag.' }),
    inputs: Type.Optional(FreeForm({ description: 'Values for the inputs of the workflow.' })),
  }),
  output: Run,
  status: 202,

  handler: async ({ hearth, db, caller, repo, write }, { id, ref, inputs = {} }) => {
    const row = requireRepo(db, repo.id)
    const workflow = requireWorkflow(db, repo, id)
    if (!settingsOf(row).workflows_enabled || runnerKinds(hearth).length === 0)
      throw new Refusal('not_available', 'workflows are switched off here')
    if (workflow.switched !== 'active')
      throw conflict('not_ready', `${workflow.name} is disabled: enable it first`)
    requireRunMinutes(hearth, db, row.workspace_id)
    const occasion = await occasionOfDispatch(hearth, row, { ref, path: workflow.path, caller })
    const file = await readFileAt(hearth, row, occasion.files_sha, workflow.path)
    const values = dispatchInputs(file, inputs)
    return write((tx) => {
      const run_id = insertRun(
        tx,
        { ...occasion, payload: { ...occasion.payload, inputs: values.texts } },
        {
          workflow: requireWorkflow(tx.db, repo, id),
          file,
          event_name: 'workflow_dispatch',
          // An agent does not turn its own checks green by starting a changed file.
          counts: caller.kind !== 'agent' || file.blob === workflow.blob,
          inputs: values.typed,
          depth: 0,
        },
      )
      return runRecord(hearth, requireRun(tx.db, repo, run_id ?? ''))
    })
  },
})
