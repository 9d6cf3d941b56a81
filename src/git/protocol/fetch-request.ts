/**
 * A fetch request of any protocol version, as plain values that can be sent to a worker. Ids are raw,
 * 20 bytes each: a clone can name each of 100,000 branches, and strings would take the thread of the
 * event loop half a second.
 */
import type { Band } from './framer.ts'

export type FetchRequest = {
  readonly protocol: 0 | 1 | 2
  readonly wants: Uint8Array
  /**
   * The ids that the client has, in order; for versions 0 and 1 with the flushes and `done` in
   * between.
   */
  readonly negotiation: readonly NegotiationLine[]
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
  /** The ids at which the history of the client ends. */
  readonly shallow: Uint8Array
  readonly depth: number
  readonly deepenRelative: boolean
  readonly deepenSince: number | null
  /** The tips of the refs whose history is excluded. */
  readonly deepenNot: readonly string[]
  readonly filter: string | null
  /** The refs that version 2 wants by their names: a line of id and name for each. */
  readonly wantedRefs: Uint8Array
}

/** Ids of commits that the client has, a flush, or `done`. */
export type NegotiationLine = Uint8Array | 'flush' | 'done'

/** The ids of all refs of a namespace and, for annotated tags, pairs of tag and peeled object. */
export type NamespaceTips = {
  /** 20 bytes each. */
  readonly tips: Uint8Array
  /** 40 bytes each. */
  readonly tags: Uint8Array
}
