import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { NewToken } from '../schema.ts'
import { requireRepos, requireScopes, Scopes, TokenName, TokenRepos } from './token-limits.ts'
import { issueToken, tokenRecord } from './tokens.ts'

const DEFAULT_LIFETIME_DAYS = '365'

/**
 * Besides device sign-in this is the only way to a token with full rights, so it requires a sign-in
 * on the website.
 */
export const createSettingsToken = operation({
  name: 'create_settings_token',
  summary:
    'Create a token in the settings of the website, with full rights unless scopes are chosen. Answers with the secret, shown once.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    name: TokenName,
    expires: Type.Optional(
      Type.String({
        pattern: '^(never|[1-9][0-9]{0,3})$',
        description: 'Days until it ends, 365 unless given, or never.',
      }),
    ),
    scopes: Type.Optional(Scopes),
    repos: Type.Optional(TokenRepos),
  }),
  output: NewToken,
  secretAnswer: true,

  handler: (
    { hearth, caller, write },
    { name, expires = DEFAULT_LIFETIME_DAYS, scopes, repos },
  ) => {
    if (caller.token !== null)
      throw forbidden('person_required', 'sign in on the website to make a token there')
    if (scopes) requireScopes(caller, scopes)
    const chosen = repos ? requireRepos(hearth, caller, repos) : null
    return write((tx) => {
      const { token, secret } = issueToken(tx, {
        actor_id: caller.id,
        kind: 'user',
        source: 'settings',
        name,
        scopes: scopes ?? null,
        repos: chosen,
        workspace_id: null,
        role: null,
        expires_at: expires === 'never' ? null : timestamp(tx.now_ms + Number(expires) * DAY),
      })
      return { ...tokenRecord(hearth, token), secret }
    })
  },
})
