/**
 * How many responses without an end, or of large files, one caller may have open at once. It bounds
 * connections, timers and file handles. It holds whether or not `limits.rate` is on.
 */
import { actorId } from '#core/caller.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import type { Visit } from './site.ts'

/** An account, or all anonymous visitors of one network address. */
export const MAX_STREAMS_PER_CALLER = 256

const openStreams = service(
  'open-streams',
  () =>
    new FairSemaphore({
      limit: Infinity,
      maxPerCaller: MAX_STREAMS_PER_CALLER,
      maxWaiting: 0,
      fullError: () =>
        new Refusal(
          'rate_limited',
          `There are ${MAX_STREAMS_PER_CALLER} live pages and downloads open for you already. Close some of them.`,
          { reason: 'concurrency', headers: { 'retry-after': '10' } },
        ),
    }),
)

/** Counts a stream until the returned function is called. Throws 429 when there are too many. */
export const openStream = ({ hearth, caller, ip }: Visit): Promise<() => void> =>
  openStreams(hearth).acquire({ caller: actorId(caller) ?? ip ?? '' })
