import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { readsRunners, runnerOwnerOf, runnerRoutes } from './owner.ts'
import { queueDemand } from './queue-demand.ts'
import { RunnerQueue } from './schema.ts'

export const listRunnerQueue = operation({
  name: 'list_runner_queue',
  summary:
    'List the labels that queued jobs of a repository (Admin) or a workspace (Owners) ask for, with how many jobs wait since when, and whether any runner has them.',
  keywords: ['why is no runner free', 'jobs that wait for a runner', 'missing runner labels'],
  route: runnerRoutes('GET', 'runners/queue'),
  toolset: 'workflows',
  access: readsRunners,
  input: Type.Object(ownerInput),
  output: RunnerQueue,

  handler: ({ db, repo, workspace }) => ({
    items: queueDemand(db, runnerOwnerOf({ repo, workspace })),
    next: null,
  }),
})
