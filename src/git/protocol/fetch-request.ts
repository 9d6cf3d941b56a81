/** A fetch request of any protocol version, as plain values that can be sent to a worker. */
import type { Band } from './framer.ts'

export type FetchRequest = {
  readonly protocol: 0 | 1 | 2
  readonly wants: readonly string[]
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
  readonly shallow: readonly string[]
  readonly depth: number
  readonly deepenRelative: boolean
  readonly deepenSince: number | null
  /** The tips of the refs whose history is excluded. */
  readonly deepenNot: readonly string[]
  readonly filter: string | null
  /** The `want-ref` lines of version 2: name and id. */
  readonly wantedRefs: readonly { readonly name: string; readonly oid: string }[]
}

export type NegotiationLine = { readonly have: string } | 'flush' | 'done'

/** The ids of all refs of a namespace and, for annotated tags, pairs of tag and peeled object. */
export type NamespaceTips = {
  /** 20 bytes each. */
  readonly tips: Uint8Array
  /** 40 bytes each. */
  readonly tags: Uint8Array
}
