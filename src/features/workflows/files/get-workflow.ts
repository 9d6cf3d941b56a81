import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { WorkflowId } from '../inputs.ts'
import { requireWorkflow, workflowRecord } from '../records.ts'
import { Workflow } from '../schema.ts'

export const getWorkflow = operation({
  name: 'get_workflow',
  summary: 'Get one workflow of a repository: its file, state, events and errors.',
  keywords: ['errors of a CI file', 'why does a workflow not run'],
  route: 'GET /repos/{owner}/{name}/actions/workflows/{id}',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: WorkflowId }),
  output: Workflow,
  handler: ({ db, repo }, { id }) => workflowRecord(requireWorkflow(db, repo, id)),
})
