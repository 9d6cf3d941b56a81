/** Records of accounts, sign-ins, second factors and tokens as clients see them. */
import { ROLES } from '#core/caller.ts'
import { Id, ListOf, Nullable, OneOf, secretText, type Static, Time, Type } from '#core/schema.ts'

/**
 * The username of an existing user. It is looked up, so the pattern of new names does not apply.
 */
export const Username = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A username.',
  examples: ['ada'],
})

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

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

/**
 * The response that contains the secret. The secret is null when the response is replayed for a
 * repeated request.
 */
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
    url: Nullable(
      Type.String({ ...secretText, description: 'The sign-up link, while it is pending.' }),
    ),
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

/** A new website sign-in. `secret` goes into the cookie and nowhere else. */
export const NewSignIn = Type.Object({
  id: Id('sgn'),
  secret: Nullable(Type.String()),
  expires_at: Time,
  user: Type.Object({
    id: Id('usr'),
    username: Type.String(),
    /** What the person has chosen for the website. */
    theme: Nullable(OneOf(THEMES)),
    locale: Nullable(Type.String()),
  }),
  /**
   * The factors that can complete it; empty when it is complete. Until then only `finish_sign_in`
   * accepts the secret.
   */
  second_factor: Type.Array(OneOf(['totp', 'passkey', 'recovery'])),
})
export type NewSignIn = Static<typeof NewSignIn>

export const EmailSettings = Type.Object(
  {
    primary: Type.String(),
    backup: Nullable(
      Type.String({
        description: 'An address besides the primary one through which the password can be reset.',
      }),
    ),
    private_email: Type.Boolean({
      description: 'Whether commits made here carry the private address.',
    }),
    block_private_pushes: Type.Boolean({
      description: 'Whether pushes that show one of your real addresses are refused.',
    }),
    private_address: Type.String({
      description: 'Stands in for your own in commits; it receives nothing.',
    }),
  },
  { $id: 'EmailSettings', description: 'How the addresses of an account are used.' },
)
export type EmailSettings = Static<typeof EmailSettings>

export const SIGN_IN_METHODS = ['password', 'passkey', 'sso', 'proxy', 'setup'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

export const SignIn = Type.Object(
  {
    id: Id('sgn'),
    current: Type.Boolean({ description: 'Whether it is the browser that asks.' }),
    method: OneOf(SIGN_IN_METHODS),
    ip: Nullable(Type.String({ description: 'Where it was signed in.' })),
    user_agent: Nullable(Type.String()),
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
  },
  { $id: 'SignIn', description: 'A browser that is signed in to the website.' },
)
export type SignIn = Static<typeof SignIn>
export const SignIns = ListOf(SignIn)

export const USER_STATES = ['active', 'suspended', 'unconfirmed'] as const
export type UserState = (typeof USER_STATES)[number]

export const SiteUser = Type.Object(
  {
    id: Id('usr'),
    kind: OneOf(['user']),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
    html_url: Type.String(),
    email: Type.String(),
    verified: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
    site_admin: Type.Boolean(),
    state: OneOf(USER_STATES),
    suspended_at: Nullable(Time),
    suspended_reason: Nullable(Type.String()),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'SiteUser', description: 'An account as site administrators see it.' },
)
export type SiteUser = Static<typeof SiteUser>
export const SiteUsers = ListOf(SiteUser)

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  backed_up: Type.Boolean(),
  created_at: Time,
  last_used_at: Nullable(Time),
})
export type Passkey = Static<typeof Passkey>

export const Identity = Type.Object({
  provider: Type.String(),
  subject: Type.String(),
  label: Type.String(),
  created_at: Time,
  last_used_at: Time,
})
export type Identity = Static<typeof Identity>

/** The data of the security settings page. */
export const Security = Type.Object({
  has_password: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  authenticator_since: Nullable(Time),
  recovery_codes_left: Type.Integer(),
  passkeys: Type.Array(Passkey),
  /** Whether browsers allow passkeys for this site. */
  passkeys_possible: Type.Boolean(),
  identities: Type.Array(Identity),
  primary: Type.String(),
})
export type Security = Static<typeof Security>

export const RecoveryCodes = Type.Object({ recovery_codes: Nullable(Type.Array(Type.String())) })
export type RecoveryCodes = Static<typeof RecoveryCodes>
