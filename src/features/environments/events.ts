/** Events of deployments. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** A deployment waits for somebody to approve it. */
export const deploymentWaiting = event(
  'deployment.waiting',
  Type.Object({
    deployment: Type.String(),
    environment: Type.String(),
    run_id: Type.String(),
    job_id: Type.String(),
    job: Type.String(),
    ref: Type.String(),
    sha: Type.String(),
    reviewers: Type.Array(Type.String(), {
      description: 'Usernames, and teams as workspace/team.',
    }),
  }),
  ({ job, environment }) => `the job ${job} waits for approval to deploy to ${environment}`,
)

export const events = [deploymentWaiting]
