/**
 * How many live pages and downloads one caller may have open at once. It bounds connections, timers
 * and memory, and holds whether or not `limits.rate` is on.
 */
import { actorId } from '#core/caller.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import type { Visit } from './site.ts'

/** An account, or all anonymous visitors of one network address. */
export const MAX_STREAMS_PER_CALLER = 256

const openStreams = service(
  'live-streams',
  () =>
    new FairSemaphore({
      limit: Infinity,
      maxPerCaller: MAX_STREAMS_PER_CALLER,
      maxWaiting: 0,
      fullError: () =>
        new Refusal(
          'rate_limited',
          `There are ${MAX_STREAMS_PER_CALLER} live pages open for you already. Close some of them.`,
          { reason: 'concurrency', headers: { 'retry-after': '10' } },
        ),
    }),
)

const callerKey = ({ caller, ip }: Visit): string => actorId(caller) ?? ip ?? ''

/** Counts a live page until the returned function is called. Throws 429 when there are too many. */
export const openStream = (visit: Visit): Promise<() => void> =>
  openStreams(visit.hearth).acquire({ caller: callerKey(visit) })

/** Downloads end, so further ones of a caller wait. */
export const MAX_DOWNLOADS_PER_CALLER = 32

const downloads = service(
  'downloads',
  () =>
    new FairSemaphore({
      limit: Infinity,
      maxPerCaller: MAX_DOWNLOADS_PER_CALLER,
      fullError: () =>
        new Refusal('unavailable', 'Too many downloads wait already. Try again in a moment.', {
          reason: 'concurrency',
          headers: { 'retry-after': '10' },
        }),
    }),
)

/** Waits until the caller may open a download, which counts until the function is called. */
export const openDownload = (visit: Visit, signal: AbortSignal): Promise<() => void> =>
  downloads(visit.hearth).acquire({ caller: callerKey(visit), signal })
