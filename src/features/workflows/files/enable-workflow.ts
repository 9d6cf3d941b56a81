import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { WorkflowId } from '../inputs.ts'
import { requireWorkflow, workflowRecord } from '../records.ts'
import { Workflow } from '../schema.ts'
import { setSwitched } from './store-workflows.ts'

export const enableWorkflow = operation({
  name: 'enable_workflow',
  summary: 'Let the events of a workflow start runs again (Maintain). Answers the workflow.',
  keywords: ['turn on CI'],
  route: 'POST /repos/{owner}/{name}/actions/workflows/{id}/enable',
  toolset: 'workflows',
  access: writesRepo('maintain', { scope: 'workflows:write' }),
  input: Type.Object({ repo: RepoPath, id: WorkflowId }),
  output: Workflow,
  annotations: { idempotent: true },

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const workflow = requireWorkflow(tx.db, repo, id)
      setSwitched(tx, workflow.id, 'active')
      return workflowRecord(requireWorkflow(tx.db, repo, id))
    }),
})
