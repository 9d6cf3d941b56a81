import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { changeWorkspace, requireAccessScope } from './change-workspace.ts'
import { BasePermission, WorkspaceBasics } from './schema.ts'

export const updateWorkspace = operation({
  name: 'update_workspace',
  summary:
    'Change the name, description or base permission of a workspace; give at least one. For its owners, people only. Answers with the workspace as it is now.',
  keywords: ['rename organization', 'organization description'],
  route: 'PATCH /workspaces/{workspace}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    name: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'Display name; longer than 80 characters is cut, empty is the slug.',
      }),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'One line; longer than 160 characters is cut, empty clears it.',
      }),
    ),
    base_permission: Type.Optional(BasePermission),
  }),
  output: WorkspaceBasics,

  handler: ({ caller, workspace, write }, { name, description, base_permission }) => {
    if (name === undefined && description === undefined && base_permission === undefined) {
      throw new Refusal('invalid', 'give at least one of name, description and base_permission')
    }
    if (base_permission !== undefined) requireAccessScope(caller)
    return write((tx) => changeWorkspace(tx, workspace.id, { name, description, base_permission }))
  },
})
