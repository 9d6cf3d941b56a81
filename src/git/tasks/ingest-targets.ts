import { oidsToBytes } from '../object.ts'

/**
 * What refs shall name once a pack has arrived, as plain values that can be sent to a worker. A push
 * may have 100,000 refs, and an object for each would hold the thread of the event loop.
 */
export type IngestTargets = {
  /** 20 bytes each. */
  readonly ids: Uint8Array
  /** A byte each: 1 for a branch, which must name a commit. */
  readonly branches: Uint8Array
}

export function ingestTargets(
  refs: readonly { readonly name: string; readonly oid: string }[],
): IngestTargets {
  return {
    ids: oidsToBytes(refs.map(({ oid }) => oid)),
    branches: Uint8Array.from(refs, ({ name }) => (name.startsWith('refs/heads/') ? 1 : 0)),
  }
}
