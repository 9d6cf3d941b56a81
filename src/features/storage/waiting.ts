/** What is said to whoever waits for something that is in the bucket only. */
import { currentPrincipal } from '#core/work.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { inTime } from '#lib/waiting.ts'

/** How long somebody who waits for a page waits for packs. */
const PAGE_MS = 15 * SECOND

const said = (message: string, again: number | null = null): Refusal =>
  new Refusal('unavailable', message, {
    reason: 'storage',
    headers: again === null ? {} : { 'retry-after': String(again) },
  })

export const gone = (): Refusal =>
  said('what this repository holds is in a bucket that cannot be reached now: try again later', 30)
export const coming = (): Refusal =>
  said('what this repository holds is on its way back from a bucket: try again in a minute', 30)
export const full = (): Refusal =>
  said(
    'what this repository holds is in a bucket, and the disk of this site has no room for it now',
    60,
  )
export const unset = (): Refusal =>
  said('what this repository holds is in a bucket, and storage.bucket of this site is not set')

/** Who waits for a page is told to come again; what comes goes on coming. */
export async function forAsker(arriving: Promise<void>): Promise<void> {
  const until = currentPrincipal()?.until ?? null
  if (until === null) return await arriving
  await inTime(arriving, Math.max(0, Math.min(until - performance.now() - SECOND, PAGE_MS)), () => {
    throw coming()
  })
}
