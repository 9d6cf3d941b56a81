/** What a provider says of a person who has just shown there who they are. */
export type Known = {
  /** What the provider never gives to another. */
  readonly subject: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  /** Whether the provider itself vouches for the address. */
  readonly email_verified: boolean
  /** Null when it says nothing of groups, which changes nothing here. */
  readonly groups: readonly string[] | null
}
