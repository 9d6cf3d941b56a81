/** Following annotated tags to what they name. */
import { COMMIT, TAG } from '../pack/entry.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { readHex } from './commit-table.ts'

const MAX_TAGS = 100

/**
 * What an id leads to: the tag objects on the way and the object at the end, with its type code.
 */
export type Peeled = {
  readonly tags: readonly string[]
  readonly oid: string /** The same as bytes. */
  readonly raw: Uint8Array
  readonly type: number
}

/**
 * Null when the object, or one on the way, is not in the store. Throws GitError `corrupt` for a
 * malformed tag.
 */
export function peelRaw(store: ObjectStore, oid: Uint8Array, at: number): Peeled | null {
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
    if (tags.length > MAX_TAGS) throw new GitError('corrupt', `tag ${name} is nested too deep`)
    raw = next
  }
}

export function peelHex(store: ObjectStore, oid: string): Peeled | null {
  return peelRaw(store, Buffer.from(oid, 'hex'), 0)
}

const MOST_PEELS = 100_000

/**
 * What ids lead to, remembered where that is a commit: from one snapshot of refs to the next most
 * tags are the same.
 */
export class Peels {
  private readonly ids = new OidMap(64)
  private readonly chains: Peeled[] = []

  get size(): number {
    return this.ids.size
  }

  /**
   * Null when the object, or one on the way, is not in the store. Throws GitError `corrupt` for a
   * malformed tag.
   */
  get(store: ObjectStore, oid: Uint8Array, at: number): Peeled | null {
    const known = this.known(oid, at)
    if (known !== null) return known
    const chain = peelRaw(store, oid, at)
    if (chain !== null && chain.type === COMMIT && this.ids.size < MOST_PEELS) {
      this.ids.add(oid, at)
      if (this.ids.added) this.chains.push(chain)
    }
    return chain
  }

  /** What is remembered of an id. */
  known(oid: Uint8Array, at: number): Peeled | null {
    const index = this.ids.get(oid, at)
    return index < 0 ? null : (this.chains[index] ?? null)
  }
}
