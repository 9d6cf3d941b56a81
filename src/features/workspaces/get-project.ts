import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Project, projectRecord, ProjectSlug, requireProject } from './projects.ts'

export const getProject = operation({
  name: 'get_project',
  summary: 'Get a project with its repositories that you can see. For members of the workspace.',
  keywords: ['project of an organization', 'repositories of a project'],
  route: 'GET /workspaces/{workspace}/projects/{project}',
  toolset: 'access',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, project: ProjectSlug }),
  output: Project,

  handler: ({ hearth, db, caller, workspace }, { project }) =>
    projectRecord(hearth, requireProject(db, workspace, project), caller),
})
