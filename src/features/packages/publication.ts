/** What a format hands over to be published. The bytes are blobs by now. */
import type { OtherDigests } from '#core/blobs.ts'

export type PublishedFile = {
  /** What clients ask for; unique in the package. */
  readonly path: string
  readonly sha256: string
  readonly size: number
  readonly digests: OtherDigests
  readonly content_type: string
}

export type Publication = {
  readonly version: string
  /** What tells the content of the version apart, such as `sha256:…` of its file. */
  readonly digest: string
  /** As published, 1 MiB of JSON at most. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The part of the format's index; rendered once. */
  readonly piece?: string
  readonly files: readonly PublishedFile[]
  /** Tags that move to this version. */
  readonly tags?: readonly string[]
  /** Null leaves what is there. */
  readonly description?: string | null
  readonly readme_sha256?: string | null
  /**
   * Whether files may join a version that exists, as in formats that upload one file at a time. A
   * path never changes its content.
   */
  readonly addsFiles?: boolean
}

export const MAX_METADATA_BYTES = 1024 ** 2
