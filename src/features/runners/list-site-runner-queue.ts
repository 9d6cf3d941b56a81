import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SITE } from './owner.ts'
import { queueDemand } from './queue-demand.ts'
import { RunnerQueue } from './schema.ts'

export const listSiteRunnerQueue = operation({
  name: 'list_site_runner_queue',
  summary:
    'List the labels that queued jobs of this installation ask for, with how many jobs wait since when, and whether any runner has them. For site administrators, people only.',
  keywords: ['jobs that wait for a runner', 'missing runner labels of the site'],
  route: 'GET /admin/runners/queue',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({}),
  output: RunnerQueue,

  handler: ({ db }) => ({ items: queueDemand(db, SITE), next: null }),
})
