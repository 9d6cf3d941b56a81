/** The identity of a user as a sign-on provider reports it after authentication. */
export type ProviderIdentity = {
  /** The identifier that the provider never assigns to another user. */
  readonly subject: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  /** Whether the provider has verified the address. */
  readonly email_verified: boolean
  /** Null when the provider sends no groups. Memberships do not change then. */
  readonly groups: readonly string[] | null
}
