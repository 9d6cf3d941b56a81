/** Pointers of Git LFS: small blobs that stand for large files (git-lfs docs/spec.md, "The Pointer"). */

export type LfsPointer = {
  /** The SHA-256 of the file, 64 hex digits. */
  readonly oid: string
  readonly size: number
}

/** No pointer is larger, whatever extensions it names. */
export const MAX_LFS_POINTER_BYTES = 1024

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/

/** Null for data that is no pointer. */
export function parseLfsPointer(data: Uint8Array): LfsPointer | null {
  if (data.length > MAX_LFS_POINTER_BYTES) return null
  const [, oid, size] = POINTER.exec(new TextDecoder().decode(data)) ?? []
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) }
}
