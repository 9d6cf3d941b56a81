/**
 * How many live pages and streams of events one caller may have open at once. It bounds
 * connections, timers and memory, and holds whether or not `limits.rate` is on.
 */
import { FairSemaphore } from '#lib/semaphore.ts'
import { Refusal } from '#lib/errors.ts'
import { actorId, type Caller } from './caller.ts'
import type { Hearth } from './hearth.ts'
import { service } from './service.ts'

/** An account, or all anonymous callers of one network address. */
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
          `There are ${MAX_STREAMS_PER_CALLER} live pages and streams open for you already. Close some of them.`,
          { reason: 'concurrency', headers: { 'retry-after': '10' } },
        ),
    }),
)

/** The key by which streams of one caller are counted. */
export const streamKey = (caller: Caller, ip: string | null): string => actorId(caller) ?? ip ?? ''

/** Counts a stream until the returned function is called. Throws 429 when there are too many. */
export const openStream = (
  hearth: Hearth,
  caller: Caller,
  ip: string | null,
): Promise<() => void> => openStreams(hearth).acquire({ caller: streamKey(caller, ip) })
