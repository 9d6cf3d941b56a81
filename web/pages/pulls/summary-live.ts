/** The form that asks for a summary, and the events while it is made. */
import { nextSummaryChange, summarizePull } from '#features/assistant/index.ts'
import { SECOND } from '#lib/time.ts'
import { eventStreamResponse, KEEP_ALIVE, serverEvent } from '../../live.ts'
import { pullPath } from '../../paths.ts'
import {
  action,
  DirectResponse,
  NoSuchPage,
  redirectWithFlash,
  type Resource,
  type Visit,
} from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { loadPull, pullPage, pullState } from './pull.tsx'

const KEEP_ALIVE_MS = 15 * SECOND

export const summaryForm = action({
  path: '/:workspace/:repo/pull/:number/summary',
  page: pullPage,
  submit: async (visit) => {
    const { repo, number } = await visit.call(summarizePull, {
      repo: repoOf(visit),
      number: numberOf(visit) ?? 0,
    })
    return redirectWithFlash(visit, pullPath(repo, number), 'summary-asked')
  },
})

async function read(visit: Visit) {
  const loaded = await loadPull(visit)
  if (loaded === null || loaded instanceof DirectResponse) throw new NoSuchPage()
  return loaded
}

/** One event when the page changed; the page then loads itself and follows again. */
async function* follow(visit: Visit, pull_id: string, seen: string): AsyncGenerator<string> {
  const { hearth } = visit
  for (;;) {
    const waiting = AbortSignal.any([
      visit.request.signal,
      hearth.draining,
      AbortSignal.timeout(KEEP_ALIVE_MS),
    ])
    // It is followed before it is read, so that no change falls between.
    const key = { pull_id, asked_by: visit.viewer?.id ?? '' }
    const change = nextSummaryChange(hearth, key, waiting)
    if (pullState(await read(visit)) !== seen) {
      yield serverEvent('changed', null)
      return
    }
    await change
    if (visit.request.signal.aborted || hearth.draining.aborted) return
    yield KEEP_ALIVE
  }
}

export const summaryLive: Resource = {
  path: '/:workspace/:repo/pull/:number/summary/live',
  async respond(first) {
    const visit = first.forStream()
    const { data } = await read(visit)
    const seen = visit.url.searchParams.get('state') ?? ''
    return await eventStreamResponse(visit, follow(visit, data.id, seen), () => read(visit))
  },
}
