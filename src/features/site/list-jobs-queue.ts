import { siteAdmin } from '#core/access.ts'
import { listJobs } from '#core/jobs.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, Type } from '#core/schema.ts'
import { jobRecord } from './job-record.ts'
import { BackgroundJobs, JOB_STATES } from './schema.ts'

export const listJobsQueue = operation({
  name: 'list_jobs_queue',
  summary:
    'List the background jobs that wait, run or have failed, by state and kind. For site administrators, people only.',
  keywords: ['background jobs', 'failed jobs', 'stuck jobs'],
  route: 'GET /admin/jobs',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({
    state: Type.Optional(OneOf(JOB_STATES)),
    kind: Type.Optional(Type.String({ maxLength: 100, description: 'Only jobs of this kind.' })),
    idle: Type.Optional(
      Type.Boolean({
        description:
          'Only recurring jobs that wait for their next run and have not failed, or all but those.',
      }),
    ),
    sort: Type.Optional(
      OneOf(['newest', 'urgency'], {
        description: 'newest unless given; urgency lists failed jobs first, then running ones.',
      }),
    ),
    ...byPage(),
  }),
  output: BackgroundJobs,
  list: 'page',

  handler: ({ db }, { state, kind, idle, sort = 'newest', ...paging }) => {
    const window = windowOf(paging)
    const filter = { state, kind, idle, limit: window.limit + 1, offset: window.offset }
    return pageOf(listJobs(db, filter, sort).map(jobRecord), window)
  },
})
