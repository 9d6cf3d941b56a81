/** Records of secret scanning. */
import { Actor, Id, ListOf, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'

export const SECRET_STATES = ['open', 'resolved'] as const
export type SecretState = (typeof SECRET_STATES)[number]
export const RESOLUTIONS = ['false_positive', 'wont_fix', 'revoked', 'used_in_tests'] as const
export type Resolution = (typeof RESOLUTIONS)[number]
export const BYPASS_REASONS = ['false_positive', 'used_in_tests', 'will_fix_later'] as const
export type BypassReason = (typeof BYPASS_REASONS)[number]
export const SOURCES = ['push', 'history', 'issue', 'pull', 'comment', 'session'] as const
export type Source = (typeof SOURCES)[number]
export const VALIDITIES = ['unknown', 'active', 'inactive'] as const
export type Validity = (typeof VALIDITIES)[number]
export const SCAN_STATES = ['queued', 'running', 'complete', 'failed'] as const
export type ScanState = (typeof SCAN_STATES)[number]

export const SecretAlert = Type.Object(
  {
    id: Id('sec'),
    state: OneOf(SECRET_STATES),
    type: Type.String({ description: 'The format of the secret, such as github-token.' }),
    label: Type.String({ description: 'What people call it.' }),
    preview: Type.String({ description: 'The first 4 and the last 2 characters.' }),
    validity: OneOf(VALIDITIES, {
      description: 'Whether it still works. Known for tokens of this forge only.',
    }),
    resolution: Nullable(OneOf(RESOLUTIONS)),
    resolved_by: Nullable(Actor),
    resolved_at: Nullable(Time),
    note: Nullable(Type.String()),
    push_protection_bypassed: Type.Boolean(),
    bypass: Nullable(Type.Object({ by: Nullable(Actor), at: Time, reason: OneOf(BYPASS_REASONS) })),
    locations_count: Type.Integer(),
    first_found_at: Time,
    created_at: Time,
    html_url: Type.String(),
  },
  {
    $id: 'SecretAlert',
    description: 'A secret that was found in a repository. Its text is not kept.',
  },
)
export type SecretAlert = Static<typeof SecretAlert>
export const SecretAlerts = ListOf(SecretAlert)

export const SecretLocation = Type.Object(
  {
    path: Type.String({ description: 'Of the file, or the address of the text that holds it.' }),
    line: Type.Integer(),
    commit: Nullable(Sha),
    source: OneOf(SOURCES),
    found_at: Time,
  },
  { $id: 'SecretLocation', description: 'Where a secret was found.' },
)
export type SecretLocation = Static<typeof SecretLocation>
export const SecretLocations = ListOf(SecretLocation)

export const SecretBypass = Type.Object(
  {
    alert: Id('sec'),
    type: Type.String(),
    label: Type.String(),
    reason: OneOf(BYPASS_REASONS),
    created_at: Time,
    expires_at: Time,
  },
  { $id: 'SecretBypass', description: 'A secret that its person may push until it expires.' },
)
export type SecretBypass = Static<typeof SecretBypass>

export const SecretScan = Type.Object(
  {
    state: OneOf(SCAN_STATES),
    commits: Type.Integer({ description: 'How many commits were scanned.' }),
    alerts: Type.Integer({ description: 'How many secrets were found in them.' }),
    created_at: Time,
    finished_at: Nullable(Time),
  },
  { $id: 'SecretScan', description: 'A scan of the whole history of a repository for secrets.' },
)
export type SecretScan = Static<typeof SecretScan>
