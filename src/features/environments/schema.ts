/** Records of environments and deployments. */
import { Actor, Id, ListOf, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'

export const MAX_ENVIRONMENTS = 500
export const MAX_REVIEWERS = 6
/** 30 days. */
export const MAX_WAIT_MINUTES = 43_200
export const MAX_NAME_CHARS = 255

export const DEPLOYMENT_STATES = [
  'waiting',
  'queued',
  'in_progress',
  'success',
  'failure',
  'inactive',
  'rejected',
] as const
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]

export const VERDICTS = ['approve', 'reject'] as const
export type Verdict = (typeof VERDICTS)[number]

export const Environment = Type.Object(
  {
    id: Id('env'),
    name: Type.String(),
    reviewers: Type.Array(Type.String(), {
      description: 'Usernames, and teams as workspace/team; one approval is enough.',
    }),
    wait_minutes: Type.Integer({ description: 'How long a deployment waits before it begins.' }),
    branches: Type.Array(Type.String(), {
      description: 'Patterns of branches that may deploy; none means all.',
    }),
    prevent_self_review: Type.Boolean({
      description: 'Whether those who started a run cannot approve its deployments.',
    }),
    deployments_count: Type.Integer(),
    created_at: Time,
  },
  { $id: 'Environment', description: 'Where jobs deploy to, and what protects it.' },
)
export type Environment = Static<typeof Environment>
export const Environments = Type.Object(
  { items: Type.Array(Environment), next: Type.Null() },
  { 'x-list': true },
)

const DeploymentReview = Type.Object({
  by: Nullable(Actor),
  verdict: OneOf(VERDICTS),
  comment: Nullable(Type.String()),
  at: Time,
})

export const Deployment = Type.Object(
  {
    id: Id('dpl'),
    environment: Type.String({ description: 'Its name.' }),
    run: Id('run'),
    job: Id('job'),
    job_name: Type.String(),
    ref: Type.String(),
    sha: Sha,
    state: OneOf(DEPLOYMENT_STATES),
    waits_for: Nullable(
      Type.String({ description: 'What a waiting deployment waits for, in one line.' }),
    ),
    creator: Nullable(Actor),
    reviews: Type.Array(DeploymentReview),
    url: Nullable(Type.String({ description: 'Where it can be seen, as its job said.' })),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Deployment', description: 'A job that deploys to an environment, or waits for it.' },
)
export type Deployment = Static<typeof Deployment>
export const Deployments = ListOf(Deployment)
