/**
 * Addresses of files, which grant what they name to whoever has them. What they grant is sealed in
 * the parameter `sig`, which clients hide in logs. The path has the depth that clients of Azure
 * Blob Storage need (`/account/container/blob`).
 */
import type { Hearth } from '#core/hearth.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { HOUR, MINUTE } from '#lib/time.ts'

/** An upload of a job. The address ends with the job anyway. */
export type UploadClaims = { readonly job_id: string; readonly upload: string }
export type CacheClaims = { readonly sha256: string; readonly size: number }

export const UPLOAD_PATH = '/_results/files/upload'
export const CACHE_PATH = '/_results/files/cache'

const UPLOAD_LIFETIME_MS = 6 * HOUR
const DOWNLOAD_LIFETIME_MS = 10 * MINUTE

const PURPOSES = { [UPLOAD_PATH]: 'results upload', [CACHE_PATH]: 'results cache' } as const

const address = (
  hearth: Hearth,
  path: keyof typeof PURPOSES,
  lifetimeMs: number,
  claims: UploadClaims | CacheClaims,
): string =>
  `${hearth.settings.site_url}${path}?sig=${sealUntil(
    hearth,
    PURPOSES[path],
    hearth.clock.now() + lifetimeMs,
    claims,
  )}`

export const uploadAddress = (hearth: Hearth, claims: UploadClaims): string =>
  address(hearth, UPLOAD_PATH, UPLOAD_LIFETIME_MS, claims)

export const cacheAddress = (hearth: Hearth, claims: CacheClaims): string =>
  address(hearth, CACHE_PATH, DOWNLOAD_LIFETIME_MS, claims)

/** What an address grants. Throws 404 for one that was not made here, or is too old. */
function claimsOf<T>(hearth: Hearth, path: keyof typeof PURPOSES, query: URLSearchParams): T {
  const claims = unsealFresh<T>(hearth, PURPOSES[path], query.get('sig') ?? '')
  if (claims === null) throw notFound('this file')
  return claims
}

export const uploadClaims = (hearth: Hearth, query: URLSearchParams): UploadClaims =>
  claimsOf(hearth, UPLOAD_PATH, query)

export const cacheClaims = (hearth: Hearth, query: URLSearchParams): CacheClaims =>
  claimsOf(hearth, CACHE_PATH, query)
