/** Records of accounts as clients see them. */
import { ROLES } from '#core/caller.ts'
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export { Actor }

/** The input that names a person; looked up, so not held to the pattern of a new name. */
export const Username = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A username.',
  examples: ['ada'],
})

export const PublicUser = Type.Object(
  {
    id: Id('usr'),
    kind: OneOf(['user']),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
    html_url: Type.String(),
    bio: Nullable(Type.String()),
    company: Nullable(Type.String()),
    location: Nullable(Type.String()),
    website: Nullable(Type.String()),
    pronouns: Nullable(Type.String()),
    email: Nullable(Type.String({ description: 'Null unless the person shows it.' })),
    created_at: Time,
  },
  { $id: 'PublicUser', description: 'A person as everyone sees them.' },
)
export type PublicUser = Static<typeof PublicUser>

export const Email = Type.Object(
  {
    email: Type.String(),
    primary: Type.Boolean(),
    backup: Type.Boolean({
      description: 'Whether a password can be reset through it besides the primary one.',
    }),
    verified: Type.Boolean(),
    created_at: Time,
    verified_at: Nullable(Time),
  },
  { $id: 'Email', description: 'An address of an account.' },
)
export type Email = Static<typeof Email>
export const Emails = ListOf(Email)

export const TOKEN_SOURCES = ['settings', 'api', 'device', 'oauth', 'agent', 'workflow'] as const
export type TokenSource = (typeof TOKEN_SOURCES)[number]

const tokenProperties = {
  id: Id('tok'),
  name: Type.String(),
  kind: OneOf(['user', 'workspace', 'agent']),
  source: OneOf(TOKEN_SOURCES, { description: 'How the token came about.' }),
  scopes: Nullable(Type.Array(Type.String(), { description: 'Null is full rights.' })),
  repos: Nullable(
    Type.Array(Type.String(), {
      description: 'Full names of the repositories it is limited to; null is no limit.',
    }),
  ),
  workspace: Nullable(Type.String({ description: 'Slug of the workspace it is limited to.' })),
  role: Nullable(OneOf(ROLES, { description: 'The highest repository role it can use.' })),
  last_four: Type.String({ description: 'The last four characters of the secret.' }),
  created_at: Time,
  last_used_at: Nullable(Time),
  expires_at: Nullable(Time),
}

export const Token = Type.Object(tokenProperties, {
  $id: 'Token',
  description: 'An access token, without its secret.',
})
export type Token = Static<typeof Token>
export const Tokens = ListOf(Token)

/** The answer that shows a secret; null there when a repeated request is answered again. */
export const NewToken = Type.Object(
  {
    ...tokenProperties,
    secret: Nullable(Type.String({ description: 'Shown in this answer only.' })),
  },
  { $id: 'NewToken', description: 'A token that was just made, with its secret.' },
)
export type NewToken = Static<typeof NewToken>

export const Invite = Type.Object(
  {
    id: Id('ivt'),
    url: Nullable(Type.String({ description: 'The sign-up link, while it is pending.' })),
    email: Nullable(Type.String({ description: 'The only address that may use it.' })),
    workspace: Nullable(
      Type.String({ description: 'Slug of the workspace that the new person joins.' }),
    ),
    charged_to: Type.Object({ kind: OneOf(['user', 'workspace']), id: Type.String() }),
    state: OneOf(['pending', 'used', 'revoked', 'expired']),
    used_by: Nullable(Type.Object({ id: Type.String(), username: Type.String() })),
    created_at: Time,
    used_at: Nullable(Time),
    expires_at: Nullable(Time),
  },
  { $id: 'Invite', description: 'An invite to make an account here.' },
)
export type Invite = Static<typeof Invite>

export const Invites = Type.Object({
  invites: Type.Array(Invite),
  left: Nullable(Type.Integer({ description: 'How many more can be made; null is no limit.' })),
})

/** A new website sign-in: `secret` goes into the cookie and is shown nowhere else. */
export const NewSignIn = Type.Object({
  id: Id('sgn'),
  secret: Nullable(Type.String()),
  expires_at: Time,
  user: Type.Object({ id: Id('usr'), username: Type.String() }),
  /**
   * What can complete it; empty when it is complete. Until then the secret is good for
   * `finish_sign_in` alone.
   */
  second_factor: Type.Array(OneOf(['totp', 'passkey', 'recovery'])),
})
export type NewSignIn = Static<typeof NewSignIn>
