import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Slug, Type } from '#core/schema.ts'
import { WorkspaceBasics } from './schema.ts'
import { addWorkspace, workspaceBasics } from './workspaces.ts'

export const createWorkspace = operation({
  name: 'create_workspace',
  summary:
    'Create a workspace, which owns repositories, and become its owner. For people with a confirmed address. Answers with the workspace.',
  keywords: ['new organization', 'new org', 'new namespace', 'new company account'],
  route: 'POST /v1/workspaces',
  toolset: 'access',
  access: personOnly({ scope: 'workspace:admin', writes: true }),
  input: Type.Object({
    slug: Slug,
    name: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Display name; the slug unless given.' }),
    ),
  }),
  output: WorkspaceBasics,

  handler: ({ hearth, caller, write }, { slug, name }) =>
    write((tx) => workspaceBasics(hearth, addWorkspace(tx, { slug, name, owner_id: caller.id }))),
})
