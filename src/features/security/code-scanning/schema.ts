/** Records of code scanning. */
import { Actor, Id, ListOf, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'
import { SEVERITIES } from '../schema.ts'

export const CODE_ALERT_STATES = ['open', 'dismissed', 'fixed'] as const
export type CodeAlertState = (typeof CODE_ALERT_STATES)[number]
export const DISMISSAL_REASONS = ['false_positive', 'wont_fix', 'used_in_tests'] as const
export type DismissalReason = (typeof DISMISSAL_REASONS)[number]

export const Analysis = Type.Object(
  {
    id: Id('ana'),
    repo_id: Id('rep'),
    sarif_id: Id('sar'),
    tool: Type.String(),
    tool_version: Nullable(Type.String()),
    category: Type.String({ description: 'Tells several analyses of one tool apart.' }),
    commit_sha: Sha,
    git_ref: Type.String(),
    pull: Nullable(Type.Integer()),
    results: Type.Integer({ description: 'The faults that the tool reported.' }),
    new_alerts: Type.Integer(),
    fixed_alerts: Type.Integer(),
    dropped: Type.Integer({ description: 'Results that are not kept.' }),
    created_at: Time,
  },
  { $id: 'CodeScanningAnalysis', description: 'What one run of a tool found in one commit.' },
)
export type Analysis = Static<typeof Analysis>
export const Analyses = ListOf(Analysis)

export const SarifUpload = Type.Object(
  {
    id: Id('sar'),
    processing_status: OneOf(['pending', 'complete', 'failed']),
    analyses: Type.Array(Id('ana')),
    errors: Type.Array(Type.String(), { description: 'What could not be read.' }),
  },
  { $id: 'SarifUpload', description: 'An upload of a scanner, and what became of it.' },
)
export type SarifUpload = Static<typeof SarifUpload>

export const NewSarifUpload = Type.Object({ id: Id('sar'), url: Type.String() })

const place = {
  path: Type.String(),
  start_line: Type.Integer(),
  end_line: Type.Integer(),
  commit_sha: Sha,
}

export const CodeInstance = Type.Object({
  ref: Type.String(),
  category: Type.String(),
  ...place,
  state: OneOf(['open', 'fixed']),
})

export const CodeAlert = Type.Object(
  {
    id: Id('csa'),
    number: Type.Integer(),
    state: OneOf(CODE_ALERT_STATES),
    rule: Type.Object({
      id: Type.String(),
      name: Nullable(Type.String()),
      description: Nullable(Type.String()),
      help: Nullable(Type.String({ description: 'Markdown; lists leave it out.' })),
      tags: Type.Array(Type.String()),
    }),
    severity: OneOf(SEVERITIES),
    tool: Type.String(),
    tool_version: Nullable(Type.String()),
    message: Type.String(),
    path: Type.String(),
    start_line: Nullable(Type.Integer()),
    end_line: Nullable(Type.Integer()),
    ref: Nullable(Type.String({ description: 'Where it was seen last.' })),
    commit_sha: Nullable(Sha),
    first_seen_at: Time,
    fixed_at: Nullable(Time),
    dismissed_by: Nullable(Actor),
    dismissed_at: Nullable(Time),
    dismissed_reason: Nullable(OneOf(DISMISSAL_REASONS)),
    dismissed_note: Nullable(Type.String()),
    instances: Type.Array(CodeInstance, { description: 'Of each ref; lists leave them out.' }),
    html_url: Type.String(),
  },
  { $id: 'CodeScanningAlert', description: 'A fault that a scanner found in the code.' },
)
export type CodeAlert = Static<typeof CodeAlert>
export const CodeAlerts = ListOf(CodeAlert)

/** Inputs shared by several operations. */
export const CodeAlertId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an alert.',
})
export const ToolInput = Type.Optional(
  Type.String({ minLength: 1, maxLength: 100, description: 'Only of this tool.' }),
)
