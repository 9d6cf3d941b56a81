/** How many live pages and downloads one visitor may have open at once. */
import { openStream as openStreamOf, streamKey } from '#core/open-streams.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import type { Visit } from './site.ts'
import { t } from './text.ts'

/** Counts a live page until the returned function is called. Throws 429 when there are too many. */
export const openStream = ({ hearth, caller, ip }: Visit): Promise<() => void> =>
  openStreamOf(hearth, caller, ip)

/** Downloads end, so further ones of a caller wait. */
export const MAX_DOWNLOADS_PER_CALLER = 32

const downloads = service(
  'downloads',
  () =>
    new FairSemaphore({
      limit: Infinity,
      maxPerCaller: MAX_DOWNLOADS_PER_CALLER,
      fullError: () =>
        new Refusal('unavailable', t('Too many downloads wait already. Try again in a moment.'), {
          reason: 'concurrency',
          headers: { 'retry-after': '10' },
        }),
    }),
)

/** Waits until the caller may open a download, which counts until the function is called. */
export const openDownload = (
  { hearth, caller, ip }: Visit,
  signal: AbortSignal,
): Promise<() => void> => downloads(hearth).acquire({ caller: streamKey(caller, ip), signal })
