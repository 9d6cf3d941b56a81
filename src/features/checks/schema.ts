/** Records of acceptance checks. */
import { Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const CHECKS_STATUSES = ['none', 'pending', 'passed', 'failed', 'errored'] as const
export type ChecksStatus = (typeof CHECKS_STATUSES)[number]
export const RESULT_STATUSES = [
  'queued',
  'running',
  'passed',
  'failed',
  'errored',
  'skipped',
] as const
export type ResultStatus = (typeof RESULT_STATUSES)[number]

export const CheckResult = Type.Object({
  id: Id('chk'),
  command: Type.String(),
  status: OneOf(RESULT_STATUSES),
  exit_code: Nullable(Type.Integer()),
  duration_ms: Nullable(Type.Integer()),
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
  log_url: Nullable(
    Type.String({
      description:
        'The whole output as plain text; null before it began and when it is no longer kept.',
    }),
  ),
  output_tail: Type.String({ description: 'The end of the output, at most 4,096 characters.' }),
})
export type CheckResult = Static<typeof CheckResult>

export const checksFields = {
  sha: Nullable(Type.String({ description: 'The head commit.' })),
  status: OneOf(CHECKS_STATUSES),
  merge_sha: Nullable(
    Type.String({ description: 'The commit that was tested: the head merged with the base.' }),
  ),
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
  message: Nullable(Type.String({ description: 'Why they wait, or could not be run.' })),
  results: Type.Array(CheckResult),
}
export const Checks = Type.Object(checksFields, {
  $id: 'Checks',
  description: 'The acceptance checks of a pull request.',
})
export type Checks = Static<typeof Checks>

export const CheckLog = Type.Object(
  {
    check: Id('chk'),
    status: OneOf(RESULT_STATUSES),
    text: Type.String({ description: 'Output of the command, UTF-8, with secrets masked.' }),
    next: Nullable(
      Type.Integer({
        description:
          'Where to go on reading, as after; null when this was the end and the command has ended.',
      }),
    ),
    complete: Type.Boolean({ description: 'Whether the command has ended.' }),
  },
  { $id: 'CheckLog', description: 'A part of the output of one acceptance check.' },
)
export type CheckLog = Static<typeof CheckLog>
