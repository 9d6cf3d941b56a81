/** Events of security findings. Their data names nothing that only some readers may know. */
import { event } from '#core/events.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { REPORT_SEVERITIES } from './reports/schema.ts'
import { ALERT_KINDS, SEVERITIES } from './schema.ts'

/** One event for the alerts that one scan opened: `alert` is the first of `count`. */
export const alertOpened = event(
  'security.alert_opened',
  Type.Object({
    kind: OneOf(ALERT_KINDS),
    alert: Type.String(),
    /** The highest of them. */
    severity: Nullable(OneOf(SEVERITIES)),
    count: Type.Integer(),
  }),
  ({ kind, count }) =>
    count === 1
      ? `a ${NAMES[kind]} alert was opened`
      : `${count} ${NAMES[kind]} alerts were opened`,
)

const NAMES = { secret: 'secret', code: 'code scanning', dependency: 'dependency' } as const

/** A scanner's results of a commit are stored. Pull requests that wait for them look again. */
export const analysisCompleted = event(
  'security.analysis_completed',
  Type.Object({
    analysis: Type.String(),
    tool: Type.String(),
    sha: Type.String(),
    pull: Nullable(Type.Integer()),
  }),
  ({ tool, sha }) => `${tool} analysed ${sha.slice(0, 7)}`,
)

/** The packages that a pull request changes were compared with advisories. */
export const dependenciesReviewed = event(
  'security.dependencies_reviewed',
  Type.Object({
    pull: Type.Integer(),
    sha: Type.String(),
    /** Advisories of a high or critical severity that it brings in. */
    failing: Type.Integer(),
  }),
  ({ pull, failing }) =>
    failing === 0
      ? `the dependencies of #${pull} were reviewed`
      : `#${pull} brings in packages with ${failing} severe vulnerabilities`,
)

/** A private report came in. Its text is read through its operation. */
export const reportReceived = event(
  'security.report_received',
  Type.Object({ report: Type.String(), severity: Nullable(OneOf(REPORT_SEVERITIES)) }),
  (_, by) => `${by} reported a vulnerability`,
)

export const advisoryPublished = event(
  'security.advisory_published',
  Type.Object({
    advisory: Type.String(),
    title: Type.String(),
    severity: OneOf(REPORT_SEVERITIES),
  }),
  ({ title }, by) => `${by} published the advisory ${title}`,
)

export const events = [
  alertOpened,
  analysisCompleted,
  dependenciesReviewed,
  reportReceived,
  advisoryPublished,
]
