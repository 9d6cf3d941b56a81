/**
 * Records of people's own affairs: addresses, sign-ins, second factors, and how administrators see
 * accounts.
 */
import { Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

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

/** What the page on security shows. */
export const Security = Type.Object({
  has_password: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  authenticator_since: Nullable(Time),
  recovery_codes_left: Type.Integer(),
  passkeys: Type.Array(Passkey),
  /** Whether browsers let this address have passkeys at all. */
  passkeys_possible: Type.Boolean(),
  identities: Type.Array(Identity),
  primary: Type.String(),
})
export type Security = Static<typeof Security>

export const RecoveryCodes = Type.Object({ recovery_codes: Nullable(Type.Array(Type.String())) })
export type RecoveryCodes = Static<typeof RecoveryCodes>
