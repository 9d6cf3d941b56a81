import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { DAY } from '#lib/time.ts'
import { NewToken } from '../schema.ts'
import { listTokenRepoRows } from '../store/tokens.ts'
import {
  tokenExpiry,
  requireOwnWorkspace,
  requireRepos,
  requireScopes,
  Scopes,
  TokenName,
  TokenRepos,
} from './token-limits.ts'
import { issueToken, tokenRecord } from './tokens.ts'

const DEFAULT_LIFETIME_DAYS = 90

/**
 * A token can only create tokens within its own limits: scopes, repositories, workspace and expiry.
 */
export const createToken = operation({
  name: 'create_token',
  summary:
    'Create a token for your own account with the scopes you name, never more than the calling token has. For people only. Answers with the secret, shown once.',
  keywords: ['personal access token', 'API key', 'PAT', 'credentials for scripts'],
  route: 'POST /user/tokens',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    name: TokenName,
    scopes: Scopes,
    repos: Type.Optional(TokenRepos),
    workspace: Type.Optional(WorkspaceSlug),
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
    { hearth, caller, now_ms, write },
    { name, scopes, repos, workspace, expires_in_days = DEFAULT_LIFETIME_DAYS },
  ) => {
    requireScopes(caller, scopes)
    const chosen = repos ? requireRepos(hearth, caller, repos) : null
    const chosenWorkspace =
      workspace === undefined ? null : requireOwnWorkspace(hearth, caller, workspace)
    const own = caller.token
    return write((tx) => {
      const inherited = own === null || own.repos === null ? null : listTokenRepoRows(tx.db, own.id)
      const { token, secret } = issueToken(tx, {
        actor_id: caller.id,
        kind: 'user',
        source: 'api',
        name,
        scopes,
        repos: chosen ?? inherited,
        workspace_id: chosenWorkspace ?? own?.workspace ?? null,
        role: null,
        expires_at: tokenExpiry(caller, now_ms, expires_in_days * DAY),
        audience: own?.audience ?? null,
      })
      return { ...tokenRecord(hearth, token), secret }
    })
  },
})
