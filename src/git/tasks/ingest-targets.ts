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
  const branches = new Uint8Array(refs.length)
  // One string for all ids: converting them one by one takes ten times as long.
  let ids = ''
  for (const [at, { name, oid }] of refs.entries()) {
    ids += oid
    if (name.startsWith('refs/heads/')) branches[at] = 1
  }
  return { ids: Buffer.from(ids, 'hex'), branches }
}
