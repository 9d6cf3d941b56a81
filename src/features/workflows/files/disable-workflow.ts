import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { WorkflowId } from '../inputs.ts'
import { requireWorkflow, workflowRecord } from '../records.ts'
import { Workflow } from '../schema.ts'
import { setSwitched } from './store-workflows.ts'

export const disableWorkflow = operation({
  name: 'disable_workflow',
  summary:
    'Stop the events of a workflow from starting runs (Maintain). Runs that have begun go on. Answers the workflow.',
  keywords: ['turn off CI', 'pause a workflow'],
  route: 'POST /repos/{owner}/{name}/actions/workflows/{id}/disable',
  toolset: 'workflows',
  access: writesRepo('maintain', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: WorkflowId }),
  output: Workflow,
  annotations: { idempotent: true },

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const workflow = requireWorkflow(tx.db, repo, id)
      setSwitched(tx, workflow.id, 'disabled')
      return workflowRecord(requireWorkflow(tx.db, repo, id))
    }),
})
