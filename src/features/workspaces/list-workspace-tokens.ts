import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { listTokenRows, tokenRecord, Tokens } from '#features/accounts/index.ts'
import { readsWorkspaceAsOwningPerson } from './access.ts'

const SIZES = { size: 100, max: 100 }

export const listWorkspaceTokens = operation({
  name: 'list_workspace_tokens',
  summary:
    'List the tokens that act as a workspace, newest first, with what each may do and when it was last used; never their secrets. For its owners, people only.',
  keywords: ['organization tokens', 'bot tokens', 'deploy tokens'],
  route: 'GET /workspaces/{workspace}/tokens',
  toolset: 'access',
  access: readsWorkspaceAsOwningPerson({ scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage(SIZES) }),
  output: Tokens,
  list: 'page',

  handler: ({ hearth, db, workspace }, input) => {
    const window = windowOf(input, SIZES)
    const rows = listTokenRows(db, workspace.id, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map((row) => tokenRecord(hearth, row)),
      window,
    )
  },
})
