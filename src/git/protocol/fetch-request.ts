/**
 * What a client asks of `fetch`, in any protocol version, as plain values that can go to a worker.
 */
import type { Band } from './framer.ts'

export type FetchRequest = {
  readonly protocol: 0 | 1 | 2
  readonly wants: readonly string[]
  /**
   * Ids that the client says it has, in order; for versions 0 and 1 with the flushes and the `done`
   * between them.
   */
  readonly talk: readonly Turn[]
  readonly done: boolean
  readonly waitForDone: boolean
  readonly thin: boolean
  readonly ofsDelta: boolean
  readonly progress: boolean
  readonly includeTag: boolean
  readonly band: Band
  readonly sidebandAll: boolean
  readonly multiAck: 'none' | 'simple' | 'detailed'
  readonly noDone: boolean
  /** Ids at which the client's history ends. */
  readonly shallow: readonly string[]
  readonly depth: number
  readonly deepenRelative: boolean
  readonly deepenSince: number | null
  /** Tips of the refs whose history is to be left out. */
  readonly deepenNot: readonly string[]
  readonly filter: string | null
  /** `want-ref` answers of version 2: name and id. */
  readonly wantedRefs: readonly { readonly name: string; readonly oid: string }[]
}

export type Turn = { readonly have: string } | 'flush' | 'done'

/**
 * What a namespace shows: the ids of all its refs and, for annotated tags, pairs of tag and peeled
 * object.
 */
export type NamespaceTips = {
  /** 20 bytes each. */
  readonly tips: Uint8Array
  /** 40 bytes each. */
  readonly tags: Uint8Array
}
