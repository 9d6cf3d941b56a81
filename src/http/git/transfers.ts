/**
 * How many git transfers (fetches, pushes, archives) one caller may have at once
 * (`git.places_per_caller`). Further ones of the same caller wait; callers never wait for each
 * other here. A permit is held until the last byte is sent, so it bounds the connections and
 * buffers of a caller. The engine has a semaphore of its own for the CPU work of all callers, which
 * a slow reader must not hold.
 */
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'

export const transferSemaphore = service(
  'git-transfers',
  ({ settings }) =>
    new FairSemaphore({
      limit: Infinity,
      maxPerCaller: () => settings.git.places_per_caller,
      fullError: () =>
        new Refusal('unavailable', 'too many transfers wait already; try again in a moment', {
          reason: 'concurrency',
          headers: { 'retry-after': '30' },
        }),
    }),
)
