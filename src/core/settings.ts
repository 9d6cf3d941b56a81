/**
 * The settings of a running forge, in the shape that the code uses. `config.ts` creates them from
 * flags, environment and file. `setting-list.ts` declares what an administrator writes.
 */

export type SignUpMode = 'open' | 'invite' | 'sso_only' | 'closed'

/** The access that the members of a provider's group get. */
export type GroupRule = {
  readonly group: string
  readonly workspace: string
  readonly team: string | null
  readonly role: 'member' | 'owner'
}

/** The settings of every identity provider. */
export type SignOnPolicy = {
  /** Part of URLs and of the table of identities, so it must not change. */
  readonly id: string
  /** The label of the button. */
  readonly name: string
  /** Whether people of the provider get accounts. */
  readonly sign_up: boolean
  /** Whether an existing account with the same confirmed address is linked. */
  readonly link_by_email: boolean
  /** Whether addresses of the provider count as confirmed. */
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
  /** More certificate authorities in PEM; null for those of the system. */
  readonly ca: string | null
  readonly bind_dn: string | null
  readonly bind_password: string | null
  readonly base: string
  /** `{login}` is replaced by the typed login. */
  readonly filter: string
  readonly id_attribute: string
  readonly username_attribute: string
  readonly name_attribute: string
  readonly email_attribute: string
  readonly group_base: string | null
  /** `{dn}` and `{username}` are replaced by those of the person. */
  readonly group_filter: string
  readonly group_attribute: string
}

/** A proxy that signs people in and names them in headers. The values are names of headers. */
export type HeaderSignOn = SignOnPolicy & {
  readonly username_header: string
  /** The header with an id that never changes; null uses the username. */
  readonly id_header: string | null
  readonly name_header: string | null
  readonly email_header: string | null
  readonly groups_header: string | null
  readonly groups_separator: string
}

/** One setting as configured, for administrators. */
export type ConfiguredSetting = {
  readonly name: string
  /** The value as written. Of a secret it is `set`; of a missing setting null. */
  readonly value: unknown
  readonly source: 'default' | 'file' | 'environment' | 'flag'
  readonly help: string
}

export type Settings = {
  /** All settings as configured. */
  readonly configuration: readonly ConfiguredSetting[]
  /** The public address, without a slash at the end. */
  readonly site_url: string
  /** The address of the REST interface: `{site_url}/api`. */
  readonly base_url: string
  /** The address of the tool server: `{site_url}/mcp`. */
  readonly mcp_url: string
  /** The data directory. */
  readonly data: string
  readonly version: string
  readonly development: boolean
  readonly sign_up: SignUpMode
  /** Whether a new repository is private by default. */
  readonly private_by_default: boolean
  readonly workspaces_per_person: number
  /** Further origins from which browsers may call the tool server. */
  readonly mcp_origins: readonly string[]
  /** Addresses of proxies whose forwarded headers are trusted. */
  readonly trusted_proxies: readonly string[]
  /**
   * What outbound requests may reach besides public addresses: host names, addresses and blocks.
   * `http://` before an entry allows unencrypted connections.
   */
  readonly outbound_allow: readonly string[]
  /** What integrations may reach besides `outbound_allow`, in the same form. */
  readonly integrations_allow: readonly string[]
  /** Jobs of workflows: whether they run in this process, and the retention of their logs. */
  readonly jobs: {
    readonly local: boolean
    /** Of those that run in this process. `internet` leaves out this machine and its neighbours. */
    readonly network: 'internet' | 'machine' | 'none'
    readonly containers: 'none' | 'podman' | 'docker'
    readonly keep_days: number
    /** Of all caches of a repository. */
    readonly cache_bytes: number
    /** Forges for actions that are not here; the address before `owner/name`. */
    readonly actions_from: readonly string[]
    readonly actions_url: string
  }
  readonly agents: {
    /** Runs that are at work at once. */
    readonly at_once: number
    /** What the boxes of agent programs reach besides models and tools, each as `host:port`. */
    readonly hosts: readonly string[]
  }
  /** Commands of acceptance checks, which users write. Sizes are in bytes. */
  readonly checks: {
    /** `required` refuses them without isolation. `none` runs them with the server's rights. */
    readonly isolation: 'required' | 'none'
    /** Whether they may use the network of this machine. */
    readonly network: boolean
    /** The limits of one command: memory of all its processes, disk space of all its files. */
    readonly memory: number
    readonly disk: number
    readonly processes: number
    /** Further folders with programs that they may read. */
    readonly readable: readonly string[]
    /** The retention of their logs in days. */
    readonly keep_days: number
  }
  readonly backups: {
    /** A directory or `s3://bucket/folder`; null is `backups` in the data directory. */
    readonly to: string | null
    /** The interval of automatic backups; null is never. */
    readonly every_ms: number | null
    /** The interval at which the newest backup is restored and checked; null is never. */
    readonly verify_every_ms: number | null
    readonly keep: {
      readonly last: number
      readonly daily: number
      readonly weekly: number
      readonly monthly: number
    }
    /** Public keys of age; without any, backups are not encrypted. */
    readonly recipients: readonly string[]
    /** A file with an age identity, for checking encrypted backups. */
    readonly identity: string | null
    readonly s3: {
      readonly endpoint: string | null
      readonly region: string
      readonly access_key: string
      readonly secret_key: string
    } | null
  }
  /** The bucket with copies of packs and blobs; null without one. */
  readonly storage: {
    readonly bucket: string
    readonly prefix: string
    readonly s3: {
      readonly endpoint: string | null
      readonly region: string
      readonly access_key: string
      readonly secret_key: string
    }
    /** Bytes of the bucket's content that stay on this machine; null for all of it. */
    readonly local_bytes: number | null
  } | null
  /** The second machine that is kept ready; null without one. */
  readonly standby: {
    readonly listen: { readonly host: string; readonly port: number }
    /** `HOST:PORT`. */
    readonly peer: string | null
    /** Where a change is on disk before it is answered. */
    readonly acknowledge: 'local' | 'standby'
    /** How long changes are allowed without an answer of the standby; null is without limit. */
    readonly lease_ms: number | null
  } | null
  readonly releases: { readonly max_asset_bytes: number }
  /** Null: git is not served over SSH. */
  readonly ssh: { readonly host: string; readonly port: number } | null
  readonly lfs: { readonly max_bytes: number }
  readonly packages: { readonly max_file_bytes: number; readonly max_layer_bytes: number }
  readonly attachments: { readonly max_bytes: number }
  /** What `security.txt` says. */
  readonly security: { readonly contact: readonly string[]; readonly policy: string | null }
  /** How documents show images of other sites. */
  readonly images: { readonly external: 'direct' | 'proxy' | 'off' }
  /** The limits of downloaded archives; null is no limit. */
  readonly archives: { readonly max_files: number | null; readonly max_bytes: number | null }
  readonly sso: {
    /** Who may sign in with a password. */
    readonly passwords: 'everyone' | 'administrators'
    readonly oidc: readonly OidcProvider[]
    readonly ldap: LdapDirectory | null
    readonly header: HeaderSignOn | null
  }
  readonly audit: {
    /** Whether entries hold the address of the request. */
    readonly ip: boolean
    /** The retention of entries in days, at least 30. */
    readonly keep_days: number
  }
  readonly mail: { readonly url: string; readonly from: string } | null
  /** Database queries and git operations above these durations are logged; 0 logs none. */
  readonly slow: { readonly query_ms: number; readonly git_ms: number }
  /** Who may read `/metrics` besides administrators: a bearer token, and addresses. */
  readonly metrics: { readonly token: string | null; readonly allow: readonly string[] }
  readonly limits: {
    /** Whether requests above the documented rates are refused. */
    readonly rate: boolean
    /** Whether signed-out readers of many costly pages must solve a proof of work. */
    readonly proof_of_work: boolean
    /** Changes are refused while the disk has fewer free bytes. */
    readonly disk_reserve: number
  }
  /** The source of certificates; null when a proxy encrypts connections, or nothing does. */
  readonly tls: { readonly kind: 'files' | 'acme'; readonly domains: readonly string[] } | null
  readonly git: {
    readonly workers: number
    readonly concurrency: number
    /** The maximum number of concurrent transfers of one caller. */
    readonly places_per_caller: number
    readonly memory_budget: number
    /** Disk space for cached responses to fetches; 0 caches none. */
    readonly kept_bytes: number
    /** The largest object that a push may hold. */
    readonly max_object_bytes: number
    readonly max_pack_bytes: number
    /** When pushes may hold the harmless faults of old history. */
    readonly old_faults: 'first_push' | 'always' | 'never'
  }
}
