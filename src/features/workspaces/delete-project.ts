import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { ProjectSlug, requireProject } from './projects.ts'
import { removeProject } from './store-projects.ts'

export const deleteProject = operation({
  name: 'delete_project',
  summary:
    'Delete a project; its repositories stay. For owners of the workspace. The answer is empty.',
  keywords: ['remove project', 'ungroup repositories'],
  route: 'DELETE /workspaces/{workspace}/projects/{project}',
  toolset: 'access',
  access: writesWorkspace('owner', { scope: 'workspace:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, project: ProjectSlug }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ workspace, write }, { project }) =>
    write((tx) => {
      const row = requireProject(tx.db, workspace, project)
      tx.audit({
        action: 'project.deleted',
        target: { kind: 'project', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: { before: { name: row.name } },
      })
      removeProject(tx, row.id)
      return null
    }),
})
