/** Reads objects of a pack that are too large for memory, with all bases of their delta chain. */
import { OFS_DELTA, REF_DELTA } from '../pack/entry-header.ts'
import type { EntryReader } from './entry-reader.ts'
import { createInflater } from './inflate.ts'
import {
  FileContent,
  StreamBuffers,
  StreamedDelta,
  inflateStream,
  type PackBytes,
} from './large-content.ts'
import type { PackFile } from './pack-file.ts'

const DIGEST_STEP_BYTES = 4 << 20

/** An entry of a delta chain; `size` is that of the object, `entryBytes` that of the entry. */
type Link = { readonly dataAt: number; readonly entryBytes: number; readonly size: number }

/** The entries from an object down to the whole object at the end of its delta chain. */
function listChain(reader: EntryReader, pack: PackFile, offset: number): Link[] {
  const chain: Link[] = []
  for (let at = offset; ; ) {
    const { type, size, base, headerBytes } = reader.entryAt(pack, at)
    const isDelta = type === OFS_DELTA || type === REF_DELTA
    chain.push({
      dataAt: at + headerBytes,
      entryBytes: size,
      size: isDelta ? reader.headerAt(pack, at).size : size,
    })
    if (!isDelta) return chain
    at = base
  }
}

/**
 * Returns the content of an object in a file, which the caller closes. `path` begins the names
 * of temporary files, which have a name for a moment only. Throws GitError `corrupt` for damaged data.
 */
export function* readLargeObject(
  reader: EntryReader,
  pack: PackFile,
  offset: number,
  path: string,
): Generator<'pause', FileContent, unknown> {
  const inflater = createInflater()
  const buffers = new StreamBuffers()
  const read: PackBytes = (out, length, at) => pack.read(out, 0, length, at)
  let content: FileContent | null = null
  let result: FileContent | null = null
  try {
    for (const { dataAt, entryBytes, size } of listChain(reader, pack, offset).reverse()) {
      const made = (result = new FileContent(`${path}-${dataAt}`))
      const delta = content && new StreamedDelta(content, size, made.append)
      for (const length of inflateStream(
        inflater,
        buffers,
        read,
        [dataAt, pack.size],
        entryBytes,
      )) {
        if (delta === null) made.append(buffers.output, 0, length)
        else for (const _ of delta.apply(buffers.output, 0, length)) yield 'pause'
        yield 'pause'
      }
      delta?.end()
      made.flush()
      content?.close()
      content = made
      result = null
    }
    if (content === null) throw new TypeError('a chain has at least one entry')
    const whole = content
    content = null
    return whole
  } finally {
    result?.close()
    content?.close()
  }
}

/** Returns a SHA-256 digest of content in a file. */
export function* digestContent(content: FileContent): Generator<'pause', string, unknown> {
  const hasher = new Bun.CryptoHasher('sha256')
  for (let at = 0; at < content.size; at += DIGEST_STEP_BYTES) {
    const length = Math.min(DIGEST_STEP_BYTES, content.size - at)
    content.copyTo((bytes, from, to) => hasher.update(bytes.subarray(from, to)), at, length)
    yield 'pause'
  }
  return hasher.digest('hex')
}
