import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Slug, Type, WorkspaceSlug } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { Project, projectRecord, ReposInput, requireProject, setProjectRepos } from './projects.ts'
import { findProject, insertProject } from './store-projects.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, oneLine } from './workspaces.ts'

export const createProject = operation({
  name: 'create_project',
  summary:
    'Make a project of a workspace: repositories under one name, for variables and context. For its members. Answers with the project.',
  keywords: ['group repositories', 'new project'],
  route: 'POST /workspaces/{workspace}/projects',
  toolset: 'access',
  access: writesWorkspace('member', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    slug: Slug,
    name: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'Display name, cut at 80 characters; the slug unless given.',
      }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 1000, description: 'One line, cut at 160 characters.' }),
    ),
    repos: Type.Optional(ReposInput),
  }),
  output: Project,
  status: 201,

  handler: (
    { hearth, caller, workspace, write },
    { slug, name = '', description = '', repos = [] },
  ) =>
    write((tx) => {
      if (findProject(tx.db, workspace.id, slug))
        throw conflict('already_exists', `${workspace.slug} has a project ${slug} already`)
      const id = typeId('prj', tx.now_ms)
      insertProject(tx, {
        id,
        workspace_id: workspace.id,
        slug,
        name: oneLine(name, MAX_NAME_LENGTH) || slug,
        description: oneLine(description, MAX_DESCRIPTION_LENGTH),
        created_by: caller.id,
      })
      const row = requireProject(tx.db, workspace, slug)
      const { after } = setProjectRepos(tx, row, repos, caller)
      tx.audit({
        action: 'project.created',
        target: { kind: 'project', id, name: slug },
        workspace_id: workspace.id,
        data: { after: { repositories: after } },
      })
      return projectRecord(hearth, row, caller)
    }),
})
