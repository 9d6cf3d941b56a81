/** Peels annotated tags: follows them to the object that they name. */
import { COMMIT, TAG } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { readHex } from './commit-table.ts'

const MAX_TAG_CHAIN = 100

/** The tag objects on the way from an id, and the object at the end with its type code. */
export type PeeledObject = {
  readonly tags: readonly string[]
  readonly oid: string /** The id as bytes. */
  readonly raw: Uint8Array
  readonly type: number
}

/**
 * Returns null when the object or one on the way is not in the store. Throws GitError `corrupt` for
 * a malformed tag.
 */
export function peelRaw(store: ObjectStore, oid: Uint8Array, at: number): PeeledObject | null {
  const tags: string[] = []
  let raw = copyBytes(oid, at, at + 20)
  for (;;) {
    const name = Buffer.from(raw).toString('hex')
    if (!store.locate(raw, 0)) return null
    const { type } = store.reader.headerAt(store.pack, store.offset)
    if (type !== TAG) return { tags, oid: name, raw, type }
    tags.push(name)
    store.load(raw, 0)
    const { bytes, from, to } = store.reader
    const next = new Uint8Array(20)
    const isTag =
      Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(7, to - from)).toString(
        'latin1',
      ) === 'object '
    if (!isTag || !readHex(bytes, from + 7, to, next, 0))
      throw new GitError('corrupt', `tag ${name} is malformed`)
    if (tags.length > MAX_TAG_CHAIN) throw new GitError('corrupt', `tag ${name} is nested too deep`)
    raw = next
  }
}

export function peelHex(store: ObjectStore, oid: string): PeeledObject | null {
  return peelRaw(store, Buffer.from(oid, 'hex'), 0)
}

const MAX_CACHED_PEELS = 100_000

/**
 * Remembers the peeled objects of ids that lead to commits. Most tags are the same in the next
 * snapshot of the refs.
 */
export class PeelCache {
  private readonly ids = new OidMap(64)
  private readonly peeled: PeeledObject[] = []

  get size(): number {
    return this.ids.size
  }

  /**
   * Returns null when the object or one on the way is not in the store. Throws GitError `corrupt`
   * for a malformed tag.
   */
  get(store: ObjectStore, oid: Uint8Array, at: number): PeeledObject | null {
    const known = this.known(oid, at)
    if (known !== null) return known
    const chain = peelRaw(store, oid, at)
    if (chain !== null && chain.type === COMMIT && this.ids.size < MAX_CACHED_PEELS) {
      this.ids.add(oid, at)
      if (this.ids.added) this.peeled.push(chain)
    }
    return chain
  }

  /** Returns the remembered result for an id, or null. */
  known(oid: Uint8Array, at: number): PeeledObject | null {
    const index = this.ids.get(oid, at)
    return index < 0 ? null : (this.peeled[index] ?? null)
  }
}
