/**
 * Tells an open page of the queue that something changed (server-sent events, HTML Living Standard
 * 9.2).
 */
import { getMergeQueue } from '#features/queue/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { watchState, eventStreamResponse } from '../../live.ts'
import type { Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { stateOf } from './queue.tsx'

/** Commands that go on have no event, so it looks as often as this as well. */
const WAIT_MS = 10_000

const TELLING = new Set(['queue.changed', 'repo.updated', 'checks.completed'])

export const queueLive: Resource = {
  path: '/:workspace/:repo/queue/live',
  async respond(visit) {
    const { id } = await visit.call(getRepo, { repo: repoOf(visit) })
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
    return eventStreamResponse(
      watchState(visit, visit.url.searchParams.get('state') ?? '', state, concerns, WAIT_MS),
    )
  },
}
