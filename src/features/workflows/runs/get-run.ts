import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { AttemptInput, RunId } from '../inputs.ts'
import { requireRun, runRecord } from '../records.ts'
import { Run } from '../schema.ts'
import { findAttempt } from './store-runs.ts'

export const getRun = operation({
  name: 'get_run',
  summary:
    'Get one run of a workflow: why it ran, how it stands and what it waits for; of an earlier attempt with attempt.',
  keywords: ['CI result', 'status of a build'],
  route: 'GET /repos/{owner}/{name}/actions/runs/{id}',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: RunId, attempt: AttemptInput }),
  output: Run,

  handler: ({ hearth, db, repo }, { id, attempt }) => {
    const run = requireRun(db, repo, id)
    if (attempt === undefined || attempt === run.attempt) return runRecord(hearth, run)
    const earlier = findAttempt(db, run.id, attempt)
    if (!earlier) throw notFound(`the attempt ${attempt} of the run ${id}`)
    const { conclusion, error, started_at, finished_at } = earlier
    return runRecord(hearth, {
      ...run,
      attempt,
      status: 'completed',
      conclusion,
      error,
      waiting_for: null,
      started_at,
      finished_at,
    })
  },
})
