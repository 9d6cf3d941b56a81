import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { ProjectSlug, requireProject } from '#features/workspaces/index.ts'
import { boardRecord } from './board-record.ts'
import { ProjectBoard } from './schema.ts'
import { untrustedCards } from './untrusted-cards.ts'

const DEFAULT_CARDS = 50
const MAX_CARDS = 100
const MAX_PAGE = 1_000_000

export const getProjectBoard = operation({
  name: 'get_project_board',
  summary:
    'Show the board of a project: issues of its repositories that you can see, in columns by label and state. For members of the workspace.',
  keywords: ['kanban', 'project board', 'issues across repositories', 'work in progress'],
  route: 'GET /workspaces/{workspace}/projects/{project}/board',
  toolset: 'access',
  access: readsWorkspace({ scope: 'workspace:read issues:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    project: ProjectSlug,
    assignee: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, description: 'A username.' }),
    ),
    column: Type.Optional(
      Type.String({ minLength: 1, maxLength: 50, description: 'Only this column.' }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE,
        description: 'The page of the cards of each column, from 1, with `limit` cards each.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_CARDS,
        default: DEFAULT_CARDS,
        description: 'Cards of a column.',
      }),
    ),
  }),
  output: ProjectBoard,
  untrusted: untrustedCards,

  handler: (
    { hearth, db, caller, workspace },
    { project: slug, assignee, column, page = 1, limit = DEFAULT_CARDS },
  ) =>
    boardRecord(hearth, {
      project: requireProject(db, workspace, slug),
      caller,
      assignee_ids: assignee === undefined ? null : listActorIds(db, assignee),
      column,
      limit,
      offset: (page - 1) * limit,
    }),
})
