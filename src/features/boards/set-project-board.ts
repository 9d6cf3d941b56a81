import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { ProjectSlug, requireProject } from '#features/workspaces/index.ts'
import { columnsOf, validColumns } from './columns.ts'
import { ColumnInput, MAX_COLUMNS, ProjectColumns } from './schema.ts'
import { replaceColumns } from './store.ts'

export const setProjectBoard = operation({
  name: 'set_project_board',
  summary:
    'Replace the columns of the board of a project; issues stay as they are. For members of the workspace. Answers with the columns.',
  keywords: ['columns of a board', 'configure kanban'],
  route: 'PUT /workspaces/{workspace}/projects/{project}/board',
  toolset: 'access',
  access: writesWorkspace('member', { scope: 'workspace:admin' }),
  annotations: { idempotent: true },
  input: Type.Object({
    workspace: WorkspaceSlug,
    project: ProjectSlug,
    columns: Type.Array(ColumnInput, {
      minItems: 1,
      maxItems: MAX_COLUMNS,
      description: 'From left to right.',
    }),
  }),
  output: ProjectColumns,

  handler: ({ workspace, write }, { project, columns }) => {
    const wanted = validColumns(columns)
    return write((tx) => {
      const row = requireProject(tx.db, workspace, project)
      const before = columnsOf(tx.db, row.id)
      replaceColumns(tx, row.id, wanted)
      tx.audit({
        action: 'project.board_changed',
        target: { kind: 'project', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: {
          before: { columns: before.map(({ name }) => name) },
          after: { columns: wanted.map(({ name }) => name) },
        },
      })
      return { project: row.slug, columns: wanted }
    })
  },
})
