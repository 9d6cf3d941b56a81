/** Fetches images that documents show from other sites, within limits of bytes, time and count. */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { cache, service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { imageCache, type StoredImage } from './image-cache.ts'
import { imageTypeOf } from './image-type.ts'

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 10 * SECOND
const IDLE_TIMEOUT_MS = 5 * SECOND
const MAX_REDIRECTS = 4
const MAX_RUNNING = 8
const MAX_WAITING = 64
/** An address that gave no image is not asked again for this time. */
const FAILURE_MS = 5 * MINUTE

const noImage = (): Refusal => new Refusal('not_found', 'This address gave no image.')

const turns = service(
  'turns for images',
  () =>
    new FairSemaphore({
      limit: MAX_RUNNING,
      maxWaiting: MAX_WAITING,
      fullError: () => new Refusal('unavailable', 'Too many images are being fetched.'),
    }),
)
const running = service('running images', () => new Map<string, Promise<StoredImage | null>>())
/** When an address may be asked again. */
const failures = cache<{ readonly untilMs: number }>('failed_images', {
  maxSize: 256 * 1024,
  sizeOf: () => 256,
})

/** Resolves to null for an address that gives no image, or none in time. */
async function fetchFrom(hearth: Hearth, address: string): Promise<StoredImage | null> {
  try {
    const response = await outboundClient(hearth).open(new URL(address), {
      headers: { accept: 'image/*', 'user-agent': 'Hearth image proxy' },
      timeoutMs: TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      maxBytes: MAX_IMAGE_BYTES,
      redirects: MAX_REDIRECTS,
      allowHttp: true,
    })
    if (response.status !== 200) {
      await response.body.cancel()
      return null
    }
    const bytes = new Uint8Array(await new Response(response.body).arrayBuffer())
    const type = imageTypeOf(bytes, response.headers['content-type'])
    return type === null ? null : { type, bytes }
  } catch (error) {
    if (error instanceof OutboundError || error instanceof TypeError) return null
    throw error
  }
}

async function fetchAndStore(
  hearth: Hearth,
  address: string,
  caller: string,
): Promise<StoredImage | null> {
  const release = await turns(hearth).acquire({ caller })
  try {
    const image = await fetchFrom(hearth, address)
    if (image) await imageCache(hearth).put(address, image)
    else failures(hearth).set(address, { untilMs: hearth.clock.now() + FAILURE_MS })
    return image
  } finally {
    release()
  }
}

/** The image at an address. Concurrent requests share one fetch. Throws 404 when there is none. */
export async function fetchImage(
  hearth: Hearth,
  address: string,
  caller: string,
): Promise<StoredImage> {
  const known = await imageCache(hearth).find(address)
  if (known) return known
  if ((failures(hearth).get(address)?.untilMs ?? 0) > hearth.clock.now()) throw noImage()
  const shared = running(hearth)
  const started =
    shared.get(address) ??
    fetchAndStore(hearth, address, caller).finally(() => shared.delete(address))
  shared.set(address, started)
  const image = await started
  if (!image) throw noImage()
  return image
}
