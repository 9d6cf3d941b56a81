/** Answers with files of an index of gems, and what their addresses say. */
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { readPackageIndex } from '../../read-package-index.ts'
import type { PackageRow } from '../../store.ts'

export type IndexDigests = { readonly etag: string; readonly digest: string }

/** Hashing the index of all gems, which has some 20 MiB, takes 50 ms. */
export const digestsOf = (body: Uint8Array): IndexDigests => ({
  etag: `"${new Bun.CryptoHasher('md5').update(body).digest('hex')}"`,
  digest: new Bun.CryptoHasher('sha256').update(body).digest('base64'),
})

/** Bundler holds the ETag against the MD5 of its copy, and asks for what was added by a range. */
export function indexResponse(
  door: DoorRequest,
  body: Uint8Array,
  type: string,
  more: Readonly<Record<string, string>> = {},
  { etag, digest }: IndexDigests = digestsOf(body),
): Response {
  const headers: Record<string, string> = {
    etag,
    'repr-digest': `sha-256=:${digest}:`,
    'content-type': type,
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    ...more,
  }
  if (isNotModified(door, etag)) return new Response(null, { status: 304, headers })
  const { status, range, headers: selected } = selectBytes(door, etag, body.length)
  Object.assign(headers, selected)
  const sent = status === 416 ? null : body.subarray(range.start, range.start + range.length)
  return new Response(sent as Uint8Array<ArrayBuffer> | null, { status, headers })
}

/** The gems of the workspace that the caller may see. */
export const visibleGems = (door: DoorRequest): Promise<readonly PackageRow[]> =>
  door.callOther(readPackageIndex, { workspace: door.workspace, package_type: 'rubygems' })

/**
 * The names that a full name may begin with: `a-1-2.0` is `a` in version `1-2.0`, or `a-1` in `2.0`.
 */
export function namesIn(fullName: string): string[] {
  const names: string[] = []
  for (let at = fullName.indexOf('-'); at > 0; at = fullName.indexOf('-', at + 1))
    if (/^\d/.test(fullName.slice(at + 1))) names.push(fullName.slice(0, at))
  return names.slice(0, 10)
}
