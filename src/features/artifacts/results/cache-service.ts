/** Caches of the job that calls: of its ref to write, and of those that it may read. */
import { Refusal } from '#lib/errors.ts'
import type { ValueOf } from '#lib/protobuf.ts'
import type { RunningJob } from '#features/workflows/index.ts'
import { findCacheForJob, ownCache, requireCacheWriter, saveCache } from '../job-caches.ts'
import { cacheAddress, uploadAddress, type UploadClaims } from './addresses.ts'
import type * as messages from './messages.ts'
import { uploadName, uploads } from './uploads.ts'
import type { Call } from './twirp.ts'

type Named = { readonly key: string; readonly version: string }

const claimsOf = ({ job_id }: RunningJob, { key, version }: Named): UploadClaims => ({
  job_id,
  upload: uploadName('cache', key, version),
})

/** Clients warn with this text, and the job goes on. */
const denied = (error: Refusal): string => `cache write denied: ${error.message}`

export function beginCache({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.CreateCacheEntryRequest>>): ValueOf<
  typeof messages.CreateCacheEntryResponse
> {
  try {
    requireCacheWriter(hearth.db, job.job_id)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'forbidden') throw error
    return { ok: false, signed_upload_url: '', message: denied(error) }
  }
  if (ownCache(hearth, job.job_id, message))
    throw new Refusal('conflict', `there is a cache ${message.key} already`, {
      reason: 'already_exists',
    })
  const claims = claimsOf(job, message)
  uploads(hearth).begin(claims, null)
  return { ok: true, signed_upload_url: uploadAddress(hearth, claims), message: '' }
}

export async function finishCache({
  hearth,
  http,
  job,
  message,
}: Call<ValueOf<typeof messages.FinalizeCacheEntryUploadRequest>>): Promise<
  ValueOf<typeof messages.FinalizeCacheEntryUploadResponse>
> {
  const claims = claimsOf(job, message)
  const file = uploads(hearth).file(claims)
  const { key, version, size_bytes } = message
  // Clients repeat a call after a lost answer.
  const before = file === null ? ownCache(hearth, job.job_id, message) : null
  if (before?.size_in_bytes === size_bytes) return { ok: true, entry_id: before.seq, message: '' }
  if (file?.size !== size_bytes)
    throw new Refusal(
      'bad_request',
      `${file?.size ?? 0} bytes of the cache ${key} have arrived, not ${size_bytes}`,
    )
  http.wait()
  const row = await saveCache(hearth, job.job_id, {
    key,
    version,
    bytes: file.bytes,
    length: file.size,
    signal: http.request.signal,
  })
  await uploads(hearth).end(claims)
  if (row) return { ok: true, entry_id: row.seq, message: '' }
  return { ok: false, entry_id: 0, message: `there is a cache ${key} already` }
}

export async function findCache({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.GetCacheEntryDownloadURLRequest>>): Promise<
  ValueOf<typeof messages.GetCacheEntryDownloadURLResponse>
> {
  const { key, version, restore_keys } = message
  const row = await findCacheForJob(hearth, job.job_id, {
    key,
    version,
    // Clients send the key again as the first.
    restoreKeys: restore_keys.filter((one) => one !== key),
  })
  if (!row) return { ok: false, signed_download_url: '', matched_key: '' }
  const { sha256, size_in_bytes: size } = row
  return {
    ok: true,
    signed_download_url: cacheAddress(hearth, { sha256, size }),
    matched_key: row.key,
  }
}
