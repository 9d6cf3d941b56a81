import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { AttemptInput, JobId, RunId } from '../inputs.ts'
import { requireRun } from '../records.ts'
import { RunSummaries } from '../schema.ts'
import { listSummaries } from '../jobs/store-jobs.ts'

/** The summaries of an answer together; a longer rest is left out. */
const MAX_CHARS = 1024 * 1024

export const listRunSummaries = operation({
  name: 'list_run_summaries',
  summary:
    'Read what the jobs of a run wrote as their summaries (GITHUB_STEP_SUMMARY), as Markdown: test results, coverage, links. Of one job with job, of an earlier attempt with attempt.',
  keywords: ['job summary', 'test report of a run', 'coverage of a build'],
  route: 'GET /repos/{owner}/{name}/actions/runs/{id}/summaries',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    id: RunId,
    attempt: AttemptInput,
    job: Type.Optional(JobId),
  }),
  output: RunSummaries,
  // The output of commands is controlled by the change.
  untrusted: ({ items }) => items.map((_, index) => `/items/${index}/markdown`),

  handler: ({ db, repo }, { id, attempt, job }) => {
    const run = requireRun(db, repo, id)
    const items = []
    let room = MAX_CHARS
    for (const { job_id, name, summary } of listSummaries(db, run.id, attempt ?? run.attempt)) {
      if (job !== undefined && job !== job_id) continue
      if (summary.length > room) break
      room -= summary.length
      items.push({ job: job_id, name, markdown: summary })
    }
    return { items, next: null }
  },
})
