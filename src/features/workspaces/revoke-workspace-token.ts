import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { endToken, findToken } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'

export const revokeWorkspaceToken = operation({
  name: 'revoke_workspace_token',
  summary:
    'Revoke a token that acts as a workspace, by its id; it stops working at once. For owners, people only. The answer is empty.',
  keywords: ['delete organization token', 'revoke bot token', 'leaked deploy token'],
  route: 'DELETE /workspaces/{workspace}/tokens/{id}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the token.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ workspace, write }, { id }) =>
    write((tx) => {
      if (findToken(tx.db, id)?.actor_id !== workspace.id) throw notFound('the token')
      endToken(tx, id)
      return null
    }),
})
