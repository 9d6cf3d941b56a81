/** Errors and timeouts for callers who need offloaded files. */
import { currentPrincipal } from '#core/principal.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'

/** How long a page waits for a download. */
const PAGE_TIMEOUT_MS = 15 * SECOND

const unavailable = (message: string, again: number | null = null): Refusal =>
  new Refusal('unavailable', message, {
    reason: 'storage',
    headers: again === null ? {} : { 'retry-after': String(again) },
  })

export const bucketUnreachable = (): Refusal =>
  unavailable(
    'what this repository holds is in a bucket that cannot be reached now: try again later',
    30,
  )
export const downloadInProgress = (): Refusal =>
  unavailable(
    'what this repository holds is on its way back from a bucket: try again in a minute',
    30,
  )
export const noDiskSpace = (): Refusal =>
  unavailable(
    'what this repository holds is in a bucket, and the disk of this site has no room for it now',
    60,
  )
export const bucketNotConfigured = (): Refusal =>
  unavailable(
    'what this repository holds is in a bucket, and storage.bucket of this site is not set',
  )

/** Waits for a download within the caller's deadline, else throws 503. The download continues. */
export async function waitForDownload(arriving: Promise<void>): Promise<void> {
  const until = currentPrincipal()?.deadlineMs ?? null
  if (until === null) return await arriving
  await withTimeout(
    arriving,
    Math.max(0, Math.min(until - performance.now() - SECOND, PAGE_TIMEOUT_MS)),
    () => {
      throw downloadInProgress()
    },
  )
}
