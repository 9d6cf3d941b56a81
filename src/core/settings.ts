/**
 * What an installation is set to; made by `config.ts` from flags, environment and file, with these
 * shapes and defaults.
 */

export type SignUpMode = 'open' | 'invite' | 'sso_only' | 'closed'

/** A group of a provider and what belonging to it gives here. */
export type GroupRule = {
  readonly group: string
  readonly workspace: string
  readonly team: string | null
  readonly role: 'member' | 'owner'
}

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

/**
 * A proxy in front that signs people in itself and names them in headers, each by the header's
 * name; null for none.
 */
export type HeaderSignOn = SignOnPolicy & {
  readonly username_header: string
  /** Holds what never changes about a person; without it the username counts as that. */
  readonly id_header: string | null
  readonly name_header: string | null
  readonly email_header: string | null
  readonly groups_header: string | null
  readonly groups_separator: string
}

/** One setting as it was configured, for whoever keeps the site. */
export type ConfiguredSetting = {
  readonly name: string
  /** As it could be written; of a secret only `set`, and null when it is not set. */
  readonly value: unknown
  readonly source: 'default' | 'file' | 'environment' | 'flag'
  readonly help: string
}

export type Settings = {
  /** Every setting of the installation by its name. */
  readonly configuration: readonly ConfiguredSetting[]
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
  /**
   * What may be reached besides public addresses: host names, addresses and blocks of them, each
   * with `http://` before it or not.
   */
  readonly outbound_allow: readonly string[]
  /** The largest tree that is sent as an archive; null is without limit. */
  /** Commands of other people that run here: acceptance checks. Sizes in bytes. */
  readonly checks: {
    /**
     * `none` runs them with the rights of the server; otherwise they are refused where they cannot
     * be isolated.
     */
    readonly isolation: 'required' | 'none'
    /** Whether they have the network of this machine. */
    readonly network: boolean
    /** What one command may use: memory of all its processes, disk for all its files. */
    readonly memory: number
    readonly disk: number
    readonly processes: number
    /** Folders with programs, besides those of the system, that they may read. */
    readonly readable: readonly string[]
    /** How long their logs are kept, in days. */
    readonly keep_days: number
  }
  readonly backups: {
    /** A directory, or `s3://bucket/folder`; null is `backups` in the data directory. */
    readonly to: string | null
    /** Milliseconds between two that are made by themselves; null is never. */
    readonly every_ms: number | null
    /** Milliseconds between two checks of the newest one, by restoring it; null is never. */
    readonly verify_every_ms: number | null
    readonly keep: {
      readonly last: number
      readonly daily: number
      readonly weekly: number
      readonly monthly: number
    }
    /** Public keys of age; none leaves backups readable by whoever has them. */
    readonly recipients: readonly string[]
    /** A file with an age identity, for checks of encrypted backups. */
    readonly identity: string | null
    readonly s3: {
      readonly endpoint: string | null
      readonly region: string
      readonly access_key: string
      readonly secret_key: string
    } | null
  }
  /** Where packs and uploaded files are kept besides this machine; null is nowhere. */
  readonly storage: {
    readonly bucket: string
    readonly prefix: string
    readonly s3: {
      readonly endpoint: string | null
      readonly region: string
      readonly access_key: string
      readonly secret_key: string
    }
    /**
     * Bytes of what is in the bucket that may stay on this machine as well; null is all of them.
     */
    readonly local_bytes: number | null
  } | null
  /** The largest file of a release. */
  readonly releases: { readonly max_asset_bytes: number }
  readonly archives: { readonly max_files: number | null; readonly max_bytes: number | null }
  readonly sso: {
    /** Who may sign in with a password of this site. */
    readonly passwords: 'everyone' | 'administrators'
    readonly oidc: readonly OidcProvider[]
    readonly ldap: LdapDirectory | null
    readonly header: HeaderSignOn | null
  }
  readonly audit: {
    /** Whether entries hold the address that a request came from. */
    readonly ip: boolean
    /** How long entries are kept, in days; at least 30. */
    readonly keep_days: number
  }
  readonly mail: { readonly url: string; readonly from: string } | null
  /**
   * From how many milliseconds on a question to the database or a git operation is logged as slow;
   * 0 logs none.
   */
  readonly slow: { readonly query_ms: number; readonly git_ms: number }
  /**
   * Who may read the numbers besides site administrators: whoever has the token, and these
   * addresses.
   */
  readonly metrics: { readonly token: string | null; readonly allow: readonly string[] }
  readonly limits: {
    /** Whether requests are counted and refused above so many a minute. */
    readonly rate: boolean
    /** Whether signed-out readers of many costly pages prove some work first. */
    readonly proof_of_work: boolean
    /** Writes are refused while the disk has less room than this, in bytes. */
    readonly disk_reserve: number
  }
  /**
   * How connections are encrypted here, for pages that tell of it; null where a proxy does that, or
   * nobody.
   */
  readonly tls: { readonly kind: 'files' | 'acme'; readonly domains: readonly string[] } | null
  readonly git: {
    readonly workers: number
    readonly concurrency: number
    /** Of the operations at once, the most of one caller. */
    readonly places_per_caller: number
    readonly memory_budget: number
    /** Disk for whole answers to fetches; 0 keeps none. */
    readonly kept_bytes: number
    /** The largest single object that comes in. */
    readonly max_object_bytes: number
    readonly max_pack_bytes: number
  }
}
