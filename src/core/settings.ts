/** What an installation is set to; made by `config.ts` from flags, environment and file, with these shapes and defaults. */

export type SignUpMode = 'open' | 'invite' | 'sso_only' | 'closed'

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
  readonly mail: { readonly url: string; readonly from: string } | null
  readonly git: {
    readonly workers: number
    readonly concurrency: number
    readonly memory_budget: number
    readonly max_pack_bytes: number
  }
}
