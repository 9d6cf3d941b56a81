/** The numbers of the overview of a repository. */
import { Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { ALERT_KINDS } from '../schema.ts'

export const FindingCounts = Type.Object({
  kind: OneOf(ALERT_KINDS),
  open: Type.Integer(),
  critical: Type.Integer(),
  high: Type.Integer(),
  /** Since when the oldest is open. */
  oldest_at: Nullable(Time),
  /** In the last 30 days. */
  opened: Type.Integer(),
  closed: Type.Integer(),
  /** Whether anything was ever looked at. */
  is_used: Type.Boolean(),
})
export type FindingCounts = Static<typeof FindingCounts>

export const WeekCounts = Type.Object({
  /** When the week begins. */
  from: Time,
  opened: Type.Integer(),
  closed: Type.Integer(),
})
export type WeekCounts = Static<typeof WeekCounts>

export const WorkspaceSecurity = Type.Object({
  /** Those with open alerts, the most severe first. */
  repos: Type.Array(
    Type.Object({
      repo: Type.String(),
      open: Type.Integer(),
      critical: Type.Integer(),
      high: Type.Integer(),
      oldest_at: Time,
    }),
  ),
  weeks: Type.Array(WeekCounts),
})
export type WorkspaceSecurity = Static<typeof WorkspaceSecurity>

export const SecurityOverview = Type.Object({
  can_see_findings: Type.Boolean(),
  can_see_secrets: Type.Boolean(),
  can_manage_advisories: Type.Boolean(),
  /** Whether vulnerabilities can be reported in private. */
  takes_reports: Type.Boolean(),
  new_reports: Nullable(Type.Integer()),
  findings: Type.Array(FindingCounts),
  /** Alerts of the kinds that the caller sees, opened and closed by week. */
  weeks: Type.Array(WeekCounts),
})
export type SecurityOverview = Static<typeof SecurityOverview>
