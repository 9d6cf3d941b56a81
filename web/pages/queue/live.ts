/** Tells an open page of the queue that something changed (server-sent events, HTML Living Standard 9.2). */
import { getMergeQueue } from '#features/queue/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { liveAnswer, liveEvent, WAITING } from '../../live.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { stateOf } from './queue.tsx'

/** Shorter than any idle connection lives. Commands that go on have no event, so it looks as often as this as well. */
const WAIT_MS = 10_000

const TELLING = new Set(['queue.changed', 'repo.updated', 'checks.completed'])

/** Resolves when something in the repository happened that may show in its queue, or when the time is over. */
function untilSomething({ hearth, request }: Visit, repo_id: string): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      request.signal.removeEventListener('abort', end)
      hearth.stopping.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, WAIT_MS)
    const stop = hearth.subscribe((event) => {
      if (event.repo_id === repo_id && TELLING.has(event.type)) end()
    })
    request.signal.addEventListener('abort', end)
    hearth.stopping.addEventListener('abort', end)
  })
}

async function* follow(visit: Visit, repo_id: string): AsyncGenerator<string> {
  const seen = visit.url.searchParams.get('state') ?? ''
  const base = visit.url.searchParams.get('base')
  for (;;) {
    const waiting = untilSomething(visit, repo_id)
    const queue = await visit.call(getMergeQueue, { repo: repoOf(visit), ...(base === null ? {} : { base }) })
    if (stateOf(queue) !== seen) {
      yield liveEvent('changed', null)
      return
    }
    await waiting
    if (visit.request.signal.aborted || visit.hearth.stopping.aborted) return
    yield WAITING
  }
}

export const queueLive: Resource = {
  path: '/:workspace/:repo/queue/live',
  async answer(visit) {
    const { id } = await visit.call(getRepo, { repo: repoOf(visit) })
    return liveAnswer(follow(visit, id))
  },
}
