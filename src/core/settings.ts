/** What an installation is set to; made by `config.ts` from flags, environment and file, with these shapes and defaults. */

export type SignUpMode = 'open' | 'invite' | 'sso_only' | 'closed'

/** A group of a provider and what belonging to it gives here. */
export type GroupRule = { readonly group: string; readonly workspace: string; readonly team: string | null; readonly role: 'member' | 'owner' }

/** What holds for every provider of identities. */
export type SignOnPolicy = {
  /** Stands in addresses and in the table of identities, so it never changes. */
  readonly id: string
  /** On the button. */
  readonly name: string
  /** Whether whoever it knows gets an account here. */
  readonly sign_up: boolean
  /** Whether an account here is taken over by a confirmed address that is the same there. */
  readonly link_by_email: boolean
  /** Whether an address that it vouches for counts as confirmed. */
  readonly trust_email: boolean
  readonly groups: readonly GroupRule[]
}

export type OidcProvider = SignOnPolicy & {
  readonly issuer: string
  readonly client_id: string
  /** Null for a public client. */
  readonly client_secret: string | null
  readonly scopes: readonly string[]
  readonly username_claim: string
  readonly groups_claim: string
}

export type LdapDirectory = SignOnPolicy & {
  readonly url: string
  readonly start_tls: boolean
  /** PEM of more certificate authorities; null for the system's. */
  readonly ca: string | null
  readonly bind_dn: string | null
  readonly bind_password: string | null
  readonly base: string
  /** `{login}` stands for what was typed. */
  readonly filter: string
  readonly id_attribute: string
  readonly username_attribute: string
  readonly name_attribute: string
  readonly email_attribute: string
  readonly group_base: string | null
  /** `{dn}` and `{username}` stand for the person's. */
  readonly group_filter: string
  readonly group_attribute: string
}

export type Settings = {
  /** The public address, without a slash at the end. */
  readonly site_url: string
  /** REST; usually `{site_url}/api`. */
  readonly base_url: string
  /** The tool server; usually `{site_url}/mcp`. */
  readonly mcp_url: string
  /** The data directory; everything that lasts is in it. */
  readonly data: string
  readonly version: string
  readonly development: boolean
  readonly sign_up: SignUpMode
  /** What `private` is for a new repository when it is not said. */
  readonly private_by_default: boolean
  readonly workspaces_per_person: number
  /** Origins besides the site's own that browsers may call the tool server from. */
  readonly mcp_origins: readonly string[]
  /** Addresses of proxies whose forwarded headers are believed. */
  readonly trusted_proxies: readonly string[]
  /** What may be reached besides public addresses: host names, addresses and blocks of them, each with `http://` before it or not. */
  readonly outbound_allow: readonly string[]
  /** The largest tree that is sent as an archive; null is without limit. */
  readonly archives: { readonly max_files: number | null; readonly max_bytes: number | null }
  readonly sso: {
    /** Who may sign in with a password of this site. */
    readonly passwords: 'everyone' | 'administrators'
    readonly oidc: readonly OidcProvider[]
    readonly ldap: LdapDirectory | null
  }
  readonly audit: {
    /** Whether entries hold the address that a request came from. */
    readonly ip: boolean
    /** How long entries are kept, in days; at least 30. */
    readonly keep_days: number
  }
  readonly mail: { readonly url: string; readonly from: string } | null
  readonly git: {
    readonly workers: number
    readonly concurrency: number
    readonly memory_budget: number
    readonly max_pack_bytes: number
  }
}
