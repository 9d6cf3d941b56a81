/** Records of workflows, runs and jobs. */
import {
  Actor,
  Id,
  ListOf,
  Nullable,
  OneOf,
  RecordNumber,
  Sha,
  Time,
  Type,
  type Static,
} from '#core/schema.ts'

export const RUN_EVENTS = [
  'push',
  'pull_request',
  'schedule',
  'dispatch',
  'release',
  'issue',
  'comment',
  'merge_queue',
  'workflow_call',
  'workflow_run',
] as const
export type RunEvent = (typeof RUN_EVENTS)[number]

export const RUN_STATUSES = ['queued', 'waiting', 'in_progress', 'completed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const CONCLUSIONS = [
  'success',
  'failure',
  'cancelled',
  'skipped',
  'timed_out',
  'neutral',
  'action_required',
  'startup_failure',
] as const
export type Conclusion = (typeof CONCLUSIONS)[number]

export const WAITING_FOR = ['approval', 'concurrency', 'environment', 'runner'] as const
export type WaitingFor = (typeof WAITING_FOR)[number]

export const WORKFLOW_STATES = ['active', 'disabled', 'disabled_by_inactivity', 'invalid'] as const

export const Workflow = Type.Object(
  {
    id: Id('wfl'),
    path: Type.String({ description: 'The file, such as .hearth/workflows/test.yml.' }),
    name: Type.String(),
    state: OneOf(WORKFLOW_STATES),
    errors: Type.Array(
      Type.Object({ line: Type.Integer(), column: Type.Integer(), message: Type.String() }),
      { description: 'What is wrong with the file on the default branch.' },
    ),
    events: Type.Array(Type.String(), { description: 'The events that it names.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Workflow', description: 'A file that says which jobs run when.' },
)
export type Workflow = Static<typeof Workflow>
export const Workflows = ListOf(Workflow)

const Why = Nullable(OneOf(WAITING_FOR, { description: 'What it waits for.' }))

export const Run = Type.Object(
  {
    id: Id('run'),
    workflow_id: Id('wfl'),
    path: Type.String(),
    name: Type.String({ description: 'The name of the workflow.' }),
    title: Type.String({ description: 'What it ran for, such as the title of a commit.' }),
    number: Type.Integer({ description: 'Counts the runs of the workflow.' }),
    attempt: Type.Integer(),
    event: OneOf(RUN_EVENTS),
    ref: Type.String(),
    sha: Sha,
    pull: Nullable(RecordNumber),
    status: OneOf(RUN_STATUSES),
    conclusion: Nullable(OneOf(CONCLUSIONS)),
    error: Nullable(Type.String({ description: 'Why it could not start, in one line.' })),
    waiting_for: Why,
    reason: Nullable(Type.String({ description: 'Why it waits, in one line.' })),
    trusted: Type.Boolean({
      description: 'False for changes by people without Write: no secrets and a token that reads.',
    }),
    actor: Nullable(Actor),
    jobs_count: Type.Integer(),
    duration_ms: Nullable(Type.Integer()),
    html_url: Type.String(),
    created_at: Time,
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
  },
  { $id: 'Run', description: 'One run of a workflow, for one event.' },
)
export type Run = Static<typeof Run>
export const Runs = ListOf(Run)

export const STEP_STATUSES = ['queued', 'in_progress', 'completed'] as const

const JobStep = Type.Object({
  number: Type.Integer(),
  name: Type.String(),
  status: OneOf(STEP_STATUSES),
  conclusion: Nullable(OneOf(CONCLUSIONS)),
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
  log_from: Nullable(Type.Integer({ description: 'The first line of its log.' })),
  log_to: Nullable(Type.Integer({ description: 'The last line of its log.' })),
})

export const LEVELS = ['notice', 'warning', 'failure'] as const
export type Level = (typeof LEVELS)[number]

const Annotation = Type.Object({
  level: OneOf(LEVELS),
  step: Nullable(Type.Integer()),
  file: Nullable(Type.String()),
  line: Nullable(Type.Integer()),
  end_line: Nullable(Type.Integer()),
  column: Nullable(Type.Integer()),
  title: Nullable(Type.String()),
  message: Type.String(),
})

export const CommitAnnotation = Type.Object(
  {
    level: OneOf(LEVELS),
    file: Type.String({ description: 'The path of the file in the commit.' }),
    line: Nullable(
      Type.Integer({
        description: 'Null for the file as a whole, and for a line that the commit does not have.',
      }),
    ),
    end_line: Nullable(Type.Integer({ description: 'The last line, of several.' })),
    column: Nullable(Type.Integer({ description: 'Where it begins in the line, from 1.' })),
    title: Nullable(Type.String()),
    message: Type.String(),
    workflow: Type.String({ description: 'The name of the workflow.' }),
    run: Id('run'),
    job: Id('job'),
    job_name: Type.String(),
  },
  { $id: 'CommitAnnotation', description: 'What a job says about a line of a file.' },
)
export type CommitAnnotation = Static<typeof CommitAnnotation>
export const CommitAnnotations = Type.Object(
  { items: Type.Array(CommitAnnotation), next: Type.Null() },
  { 'x-list': true },
)

export const WorkflowJob = Type.Object(
  {
    id: Id('job'),
    run: Id('run'),
    name: Type.String(),
    status: OneOf(RUN_STATUSES),
    conclusion: Nullable(OneOf(CONCLUSIONS)),
    waiting_for: Why,
    reason: Nullable(
      Type.String({ description: 'Why it waits, was skipped or ended, in one line.' }),
    ),
    needs: Type.Array(Type.String(), { description: 'The jobs of the file that it waits for.' }),
    runner: Nullable(
      Type.Object({
        id: Nullable(Id('rnr')),
        name: Type.String(),
        labels: Type.Array(Type.String()),
      }),
    ),
    steps: Type.Array(JobStep),
    annotations: Type.Array(Annotation),
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
    attempt: Type.Integer(),
    permissions: Type.Array(Type.String(), {
      description: 'What its token may do in the repository, such as contents: read.',
    }),
    log_bytes: Type.Integer(),
  },
  { $id: 'WorkflowJob', description: 'One job of a run with its steps.' },
)
export type WorkflowJob = Static<typeof WorkflowJob>
export const WorkflowJobs = Type.Object(
  { items: Type.Array(WorkflowJob), next: Type.Null() },
  { 'x-list': true },
)

const RunSummary = Type.Object(
  {
    job: Id('job'),
    name: Type.String({ description: 'The name of the job.' }),
    markdown: Type.String(),
  },
  { $id: 'RunSummary', description: 'What a job wrote as its summary.' },
)
export type RunSummary = Static<typeof RunSummary>
export const RunSummaries = Type.Object(
  { items: Type.Array(RunSummary), next: Type.Null() },
  { 'x-list': true },
)

export const JobLog = Type.Object(
  {
    lines: Type.Array(Type.Object({ n: Type.Integer(), at: Time, text: Type.String() })),
    next: Nullable(
      Type.Integer({ description: 'The after of the next page; null when there is no more now.' }),
    ),
    complete: Type.Boolean({ description: 'Whether the job has ended, so that no line is added.' }),
  },
  { $id: 'JobLog', description: 'Lines of the log of a job. Secrets are masked.' },
)
export type JobLog = Static<typeof JobLog>
