/** Tells open pages of runs and jobs about changes, and gives logs as plain text. */
import { getRepo } from '#features/repos/index.ts'
import { getJob, getJobLog, getRun, listJobs } from '#features/workflows/index.ts'
import { eventStreamResponse, watchState } from '../../live.ts'
import type { Resource, Visit } from '../../site.ts'
import { streamedText, type TextPart } from '../../streamed-text.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadRuns, stateOfRuns } from './list.tsx'
import { runOf, stateOfRun } from './run.tsx'

/** Steps and lines have no event, so pages are also compared this often. */
const JOB_WAIT_MS = 2_000
const LIST_WAIT_MS = 5_000

const TELLING = new Set(['workflow.completed', 'git.push', 'pull.updated', 'pull.opened'])

async function live(
  first: Visit,
  state: (visit: Visit) => Promise<string>,
  wait_ms: number,
): Promise<Response> {
  const visit = first.forStream()
  const readRepo = () => visit.call(getRepo, { repo: repoOf(visit) })
  const { id } = await readRepo()
  const seen = visit.url.searchParams.get('state') ?? ''
  const events = watchState(
    visit,
    seen,
    () => state(visit),
    (event) => event.repo_id === id && TELLING.has(event.type),
    wait_ms,
  )
  return await eventStreamResponse(visit, events, readRepo)
}

export const runsLive: Resource = {
  path: '/:workspace/:repo/runs/live',
  respond: (visit) =>
    live(visit, async (reader) => stateOfRuns(await loadRuns(reader)), LIST_WAIT_MS),
}

export const runLive: Resource = {
  path: '/:workspace/:repo/runs/:run/live',
  respond: (visit) =>
    live(
      visit,
      async (reader) => {
        const run = await reader.call(getRun, runOf(reader))
        return stateOfRun(run, (await reader.call(listJobs, runOf(reader))).items)
      },
      JOB_WAIT_MS,
    ),
}

const jobTarget = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.job ?? '' })

export const jobLive: Resource = {
  path: '/:workspace/:repo/runs/:run/job/:job/live',
  respond: (visit) =>
    live(
      visit,
      async (reader) => {
        const job = await reader.call(getJob, jobTarget(reader))
        const run = await reader.call(getRun, { repo: repoOf(reader), id: job.run })
        return stateOfRun(run, [job])
      },
      JOB_WAIT_MS,
    ),
}

/** The whole log as text, read page by page as fast as it is sent. */
export const jobLogText: Resource = {
  path: '/:workspace/:repo/runs/:run/job/:job.log',
  async respond(first) {
    // The right to read is checked again for each part: a reader may be slow.
    const visit = first.forStream()
    const read = async (after: number): Promise<TextPart> => {
      const { lines, next } = await visit.call(getJobLog, { ...jobTarget(visit), after })
      return {
        text: lines.map(({ text }) => `${text}\n`).join(''),
        next: next === null ? null : () => read(next),
      }
    }
    return streamedText(visit, await read(0))
  },
}
