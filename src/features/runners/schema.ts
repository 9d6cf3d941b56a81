/** Records of runners. */
import { Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const RUNNER_SCOPES = ['site', 'workspace', 'repository'] as const
export const RUNNER_STATES = ['online', 'busy', 'offline'] as const

const runnerFields = {
  id: Id('rnr'),
  name: Type.String(),
  scope: OneOf(RUNNER_SCOPES),
  repo: Nullable(Type.String({ description: 'The full name; null for a wider scope.' })),
  labels: Type.Array(Type.String(), { description: 'It takes jobs that ask for these only.' }),
  os: Nullable(Type.String({ description: 'As its labels say.' })),
  arch: Nullable(Type.String({ description: 'As its labels say.' })),
  version: Nullable(Type.String({ description: 'Null until it registers.' })),
  state: OneOf(RUNNER_STATES),
  ephemeral: Type.Boolean({ description: 'It is removed after one job.' }),
  accepts_untrusted: Type.Boolean({
    description: 'Whether it runs approved changes by people without Write.',
  }),
  last_seen_at: Nullable(Time),
  created_at: Time,
}

export const Runner = Type.Object(runnerFields, {
  $id: 'Runner',
  description: 'A machine elsewhere that runs jobs of workflows.',
})
export type Runner = Static<typeof Runner>
export const Runners = ListOf(Runner)

export const QueuedLabels = Type.Object(
  {
    labels: Type.Array(Type.String()),
    jobs: Type.Integer({ description: 'How many queued jobs ask for exactly these.' }),
    since: Time,
    served: Type.Boolean({ description: 'False when no runner has these labels.' }),
  },
  { $id: 'QueuedLabels', description: 'Labels that queued jobs ask runners for.' },
)
export type QueuedLabels = Static<typeof QueuedLabels>
export const RunnerQueue = ListOf(QueuedLabels)

export const NewRunner = Type.Object(
  {
    ...runnerFields,
    token: Type.String({
      description: 'The registration token, for one runner and seven days. Shown once.',
    }),
  },
  { $id: 'NewRunner', description: 'A runner that may register now.' },
)
export type NewRunner = Static<typeof NewRunner>
