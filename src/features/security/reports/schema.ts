/** Records of private reports and of advisories. */
import {
  Actor,
  Id,
  ListOf,
  Nullable,
  OneOf,
  secretText,
  Time,
  Type,
  type Static,
} from '#core/schema.ts'

export const REPORT_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export type ReportSeverity = (typeof REPORT_SEVERITIES)[number]
export const REPORT_STATES = ['new', 'accepted', 'declined'] as const
export type ReportState = (typeof REPORT_STATES)[number]
export const ADVISORY_STATES = ['draft', 'published', 'withdrawn'] as const
export type AdvisoryState = (typeof ADVISORY_STATES)[number]

const reportProperties = {
  id: Id('vrp'),
  repo_id: Id('rep'),
  repo: Type.String(),
  reporter: Nullable(Actor),
  reporter_email: Nullable(Type.String({ description: 'For reviewers only.' })),
  title: Type.String(),
  description: Type.String(),
  severity: Nullable(OneOf(REPORT_SEVERITIES)),
  state: OneOf(REPORT_STATES),
  advisory_id: Nullable(Id('adv')),
  created_at: Time,
  reviewed_by: Nullable(Actor),
  reviewed_at: Nullable(Time),
  review_note: Nullable(Type.String({ description: 'For reviewers only.' })),
}

export const VulnerabilityReport = Type.Object(reportProperties, {
  $id: 'VulnerabilityReport',
  description: 'A vulnerability that somebody reported in private.',
})
export type VulnerabilityReport = Static<typeof VulnerabilityReport>
export const NewVulnerabilityReport = Type.Object(
  {
    ...reportProperties,
    secret: Nullable(
      Type.String({
        ...secretText,
        description:
          'The address where a reporter without an account follows the report. In this answer only.',
      }),
    ),
  },
  { $id: 'NewVulnerabilityReport', description: 'A report that was just sent.' },
)

export const VulnerabilityReports = ListOf(VulnerabilityReport)

const line = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

export const AdvisoryPackage = Type.Object({
  type: line('The ecosystem, such as npm or pypi.'),
  name: line('The name of the package.'),
  vulnerable: line('The versions with the fault, such as >= 1.0, < 1.4.2.'),
  patched: Nullable(line('The first version without it; null when there is none.')),
})

export const Advisory = Type.Object(
  {
    id: Id('adv'),
    repo: Type.String(),
    title: Type.String(),
    description: Type.String(),
    severity: OneOf(REPORT_SEVERITIES),
    cvss: Nullable(Type.String({ description: 'A vector of CVSS 3.0, 3.1 or 4.0.' })),
    cvss_score: Nullable(Type.Number({ description: 'The score of the vector.' })),
    cve: Nullable(Type.String()),
    packages: Type.Array(AdvisoryPackage),
    state: OneOf(ADVISORY_STATES),
    credits: Type.Array(Type.String(), { description: 'Usernames of those who found it.' }),
    fork: Nullable(
      Type.Object(
        { full_name: Type.String(), remote: Type.String() },
        { description: 'The private fork, for those who work on the advisory.' },
      ),
    ),
    published_at: Nullable(Time),
    created_at: Time,
    updated_at: Time,
    html_url: Type.String(),
  },
  { $id: 'Advisory', description: 'What a repository tells of one of its vulnerabilities.' },
)
export type Advisory = Static<typeof Advisory>
export const Advisories = ListOf(Advisory)

/** Inputs shared by several operations. */
export const ReportId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a report.',
})
export const AdvisoryId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an advisory.',
})
export const Title = Type.String({ minLength: 1, maxLength: 250, description: 'One line.' })
export const Description = Type.String({
  minLength: 1,
  maxLength: 60_000,
  description: 'What is wrong, how it is exploited and what is affected; Markdown.',
})
export const Packages = Type.Array(AdvisoryPackage, { maxItems: 50 })
export const Cve = Type.String({
  maxLength: 30,
  pattern: '^CVE-[0-9]{4}-[0-9]{4,19}$',
  description: 'Such as CVE-2026-12345. The forge requests none.',
})
export const Cvss = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'A vector of CVSS 3.0, 3.1 or 4.0, such as CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H. The severity is taken from its score.',
})
export const Credits = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 })
