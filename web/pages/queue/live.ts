/** Tells an open page of the queue about changes (server-sent events, HTML Living Standard 9.2). */
import { getMergeQueue } from '#features/queue/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { watchState, eventStreamResponse } from '../../live.ts'
import type { Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { stateOf } from './queue.tsx'

/** Running commands have no event, so the page is also compared this often. */
const WAIT_MS = 10_000

const TELLING = new Set(['queue.changed', 'repo.updated', 'checks.completed'])

export const queueLive: Resource = {
  path: '/:workspace/:repo/queue/live',
  async respond(first) {
    const visit = first.forStream()
    const readRepo = () => visit.call(getRepo, { repo: repoOf(visit) })
    const { id } = await readRepo()
    const base = visit.url.searchParams.get('base')
    const state = async () =>
      stateOf(
        await visit.call(getMergeQueue, {
          repo: repoOf(visit),
          ...(base === null ? {} : { base }),
        }),
      )
    const concerns = (event: { repo_id: string | null; type: string }) =>
      event.repo_id === id && TELLING.has(event.type)
    const seen = visit.url.searchParams.get('state') ?? ''
    const events = watchState(visit, seen, state, concerns, WAIT_MS)
    return await eventStreamResponse(visit, events, readRepo)
  },
}
