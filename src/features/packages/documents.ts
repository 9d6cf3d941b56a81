/**
 * Documents that clients read: packuments, index files, metadata. A format renders one from the rows
 * of a package. It is kept, also compressed, until the revision of the package changes, so a read
 * that finds it touches no row but the package's own.
 */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { notFound } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import type { Format } from './format.ts'
import type { PackageRow } from './store.ts'

export type PackageDocument = {
  readonly body: Uint8Array
  /** A blob is sent as it is; the runtime copies other bytes for each response. */
  readonly gzip: Blob
  readonly content_type: string
  /** Strong, of the bytes. */
  readonly etag: string
  /** A whole second, as HTTP dates are. Two changes in one second have two times. */
  readonly modified_ms: number
}

/** What a cache counts for a document. */
export const sizeOfDocument = ({ body, gzip }: PackageDocument): number =>
  body.length + gzip.size + 500

const MAX_CACHED_BYTES = 64 * 1024 ** 2

const documents = cache<PackageDocument>('package-documents', {
  maxSize: MAX_CACHED_BYTES,
  sizeOf: sizeOfDocument,
})

/** Throws 404 for a document that the format does not have. */
export function documentOf(
  hearth: Hearth,
  format: Format,
  row: PackageRow,
  workspace: string,
  kind: string,
): PackageDocument {
  const key = `${row.id} ${row.revision} ${workspace} ${kind}`
  const kept = documents(hearth).get(key)
  if (kept) return kept
  const rendered = format.renderDocument(hearth, row, workspace, kind)
  if (rendered === null) throw notFound('the document')
  const { text, content_type } = rendered
  const body = new TextEncoder().encode(text)
  const document = {
    body,
    gzip: new Blob([Bun.gzipSync(body)]),
    content_type,
    etag: `"${sha256(body).slice(0, 32)}"`,
    modified_ms: row.modified_s * 1000,
  }
  documents(hearth).set(key, document)
  return document
}
