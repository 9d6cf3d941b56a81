import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import {
  tokenExpiry,
  issueToken,
  NewToken,
  requireImpersonalScopes,
  requireRepos,
  Scopes,
  TokenName,
  TokenRepos,
  tokenRecord,
} from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'

const DEFAULT_LIFETIME_DAYS = 90

/**
 * A workspace token acts as the workspace. It stays valid when its creator leaves, and it cannot do
 * what is reserved for users.
 */
export const createWorkspaceToken = operation({
  name: 'create_workspace_token',
  summary:
    'Create a token that acts as the workspace, with the scopes you name, on all its repositories or some. For owners, people only. Answers with the secret, shown once.',
  keywords: ['organization token', 'bot token', 'deploy token', 'service account'],
  route: 'POST /workspaces/{workspace}/tokens',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    name: TokenName,
    scopes: Scopes,
    role: Type.Optional(
      OneOf(['read', 'triage', 'write', 'maintain'] as const, {
        description: 'The highest role that it can use on a repository; write unless given.',
      }),
    ),
    repos: Type.Optional(TokenRepos),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 366,
        description: 'Days until it ends, 90 unless given.',
      }),
    ),
  }),
  output: NewToken,
  status: 201,
  secretAnswer: true,

  handler: (
    { hearth, caller, workspace, now_ms, write },
    { name, scopes, role = 'write', repos, expires_in_days = DEFAULT_LIFETIME_DAYS },
  ) => {
    requireImpersonalScopes(caller, scopes)
    const chosen = repos ? requireRepos(hearth, caller, repos) : null
    chosen?.forEach((repo, index) => {
      if (repo.workspace_id !== workspace.id)
        throw invalid(`repos[${index}]`, `${repos?.[index]} does not belong to ${workspace.slug}`)
    })
    return write((tx) => {
      const { token, secret } = issueToken(tx, {
        actor_id: workspace.id,
        kind: 'workspace',
        source: 'api',
        name: name.trim() || name,
        scopes,
        repos: chosen,
        workspace_id: workspace.id,
        role,
        expires_at: tokenExpiry(caller, now_ms, expires_in_days * DAY),
        created_by: caller.id,
      })
      return { ...tokenRecord(hearth, token), secret }
    })
  },
})
