/** The settings and the time that tests begin with. */
import type { Settings } from '#core/settings.ts'

/** Workflows run nowhere unless a test says so. */
export const testJobs = {
  local: false,
  network: 'none' as const,
  keep_days: 90,
  cache_bytes: 10 * 1024 ** 3,
  actions_from: [] as readonly string[],
  actions_url: 'https://github.com',
}

export const START = Date.parse('2026-03-01T12:00:00.000Z')

export const testSettings = (data: string, change: Partial<Settings> = {}): Settings => ({
  site_url: 'https://hearth.test',
  base_url: 'https://hearth.test/api',
  mcp_url: 'https://hearth.test/mcp',
  data,
  configuration: [
    {
      name: 'accounts.sign_up',
      value: 'invite',
      source: 'default',
      help: 'Who may make an account.',
    },
    { name: 'audit.keep_days', value: 400, source: 'default', help: 'How long entries are kept.' },
    { name: 'mail.url', value: 'set', source: 'file', help: 'SMTP server.' },
  ],
  version: '0.0.0-test',
  development: false,
  sign_up: 'invite',
  private_by_default: true,
  workspaces_per_person: 10,
  mcp_origins: [],
  trusted_proxies: [],
  outbound_allow: [],
  integrations_allow: [],
  // Tests run jobs with runners of their own.
  jobs: testJobs,
  agents: { at_once: 4 },
  checks: {
    isolation: 'required',
    network: false,
    memory: 512 * 1024 ** 2,
    disk: 256 * 1024 ** 2,
    processes: 128,
    readable: [],
    keep_days: 90,
  },
  backups: {
    to: null,
    every_ms: null,
    verify_every_ms: null,
    keep: { last: 7, daily: 7, weekly: 5, monthly: 12 },
    recipients: [],
    identity: null,
    s3: null,
  },
  storage: null,
  standby: null,
  archives: { max_files: 10_000, max_bytes: 24_000_000 },
  releases: { max_asset_bytes: 2 * 1024 ** 3 },
  ssh: null,
  lfs: { max_bytes: 10 * 1024 ** 3 },
  packages: { max_file_bytes: 500 * 1024 ** 2, max_layer_bytes: 10 * 1024 ** 3 },
  attachments: { max_bytes: 25 * 1024 ** 2 },
  security: { contact: [], policy: null },
  images: { external: 'direct' },
  sso: { passwords: 'everyone', oidc: [], ldap: null, header: null },
  audit: { ip: true, keep_days: 400 },
  mail: null,
  slow: { query_ms: 0, git_ms: 0 },
  metrics: { token: null, allow: [] },
  limits: { rate: false, proof_of_work: true, disk_reserve: 0 },
  tls: null,
  git: {
    workers: 0,
    concurrency: 4,
    places_per_caller: 2,
    memory_budget: 256 * 1024 * 1024,
    kept_bytes: 64 * 1024 ** 2,
    max_object_bytes: 64 * 1024 ** 2,
    max_pack_bytes: 2 * 1024 ** 3,
    old_faults: 'first_push',
  },
  ...change,
})
