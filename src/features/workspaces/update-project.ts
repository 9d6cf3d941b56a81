import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Project,
  projectRecord,
  ProjectSlug,
  ReposInput,
  requireProject,
  setProjectRepos,
} from './projects.ts'
import { setProject } from './store-projects.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, oneLine } from './workspaces.ts'

export const updateProject = operation({
  name: 'update_project',
  summary:
    'Change the name, description or repositories of a project; only what is given changes. For members of the workspace. Answers with the project.',
  keywords: ['rename project', 'add repository to a project'],
  route: 'PATCH /workspaces/{workspace}/projects/{project}',
  toolset: 'access',
  access: writesWorkspace('member', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    project: ProjectSlug,
    name: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Cut at 80 characters; empty is the slug.' }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Cut at 160 characters.' }),
    ),
    repos: Type.Optional(ReposInput),
  }),
  output: Project,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, workspace, write }, { project, name, description, repos }) => {
    if (name === undefined && description === undefined && repos === undefined)
      throw new Refusal('invalid', 'give at least one of name, description and repos')
    return write((tx) => {
      const row = requireProject(tx.db, workspace, project)
      setProject(tx, row.id, {
        name: name === undefined ? undefined : oneLine(name, MAX_NAME_LENGTH) || row.slug,
        description:
          description === undefined ? undefined : oneLine(description, MAX_DESCRIPTION_LENGTH),
      })
      const repositories = repos && setProjectRepos(tx, row, repos, caller)
      const after = requireProject(tx.db, workspace, project)
      tx.audit({
        action: 'project.updated',
        target: { kind: 'project', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: {
          before: {
            name: row.name,
            description: row.description,
            repositories: repositories?.before,
          },
          after: {
            name: after.name,
            description: after.description,
            repositories: repositories?.after,
          },
        },
      })
      return projectRecord(hearth, after, caller)
    })
  },
})
