/**
 * Reads a file or document of an upstream: from the cache, or from the registry, which is asked once
 * however many wait for it. Files never change. Documents are revalidated after five minutes, and
 * served as they are while the upstream is away.
 */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache, service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { DAY, MINUTE, SECOND } from '#lib/time.ts'
import { makeRoom } from './evict.ts'
import { UpstreamFailure, type Fetched, type UpstreamRequest } from './fetch.ts'
import {
  findCached,
  putCached,
  removeCached,
  setChecked,
  setUpstreamError,
  upstreamById,
  type CachedRow,
  type NewCached,
  type UpstreamRow,
} from './store.ts'
import { useTimes } from './use-times.ts'

const FRESH_MS = 5 * MINUTE
/** A name that the upstream does not have is not asked for again for this time. */
const MISSING_MS = MINUTE
/** After a failure the upstream is left alone for this time, per address. */
const FAILED_MS = 20 * SECOND
/** A file that a quota refused is not fetched again within this time, unless there is room now. */
const QUOTA_MS = DAY
const MAX_RUNNING = 32
const MAX_WAITING = 4_000

/** What a read needs of the upstream. */
export type Wanted = Pick<UpstreamRequest, 'kind' | 'accept' | 'maxBytes'> & {
  /** Within the upstream. */
  readonly key: string
  /** The name of the package. */
  readonly name: string
  /** Where it is. Called when it has to be fetched. Null when the registry does not have it. */
  readonly locate: () => Promise<Located | null> | Located | null
  /** Takes what is cached however old it is. */
  readonly anyAge?: boolean
  /** Asks the upstream, with what it needs besides, such as a token that it gave out. */
  readonly send: (request: UpstreamRequest) => Promise<Fetched>
}

export type Located = Pick<UpstreamRequest, 'url' | 'sha256' | 'expected'>

/** Null when the upstream does not have it. */
export type ReadResult = { readonly row: CachedRow; readonly isStale: boolean } | null

const turns = service(
  'turns for upstreams',
  () =>
    new FairSemaphore({
      limit: MAX_RUNNING,
      maxWaiting: MAX_WAITING,
      fullError: () =>
        new Refusal('unavailable', 'too many packages are being fetched: try again later'),
    }),
)
const running = service('reads of upstreams', () => new Map<string, Promise<ReadResult>>())

type Outcome = {
  readonly untilMs: number
  readonly failure: string | null
  /** The size of a file for which the quota of the workspace had no room; else 0. */
  readonly refusedBytes: number
}
/** Names that are missing, addresses that failed, and files that a quota refused. */
const outcomes = cache<Outcome>('upstream-outcomes', {
  maxSize: 2 * 1024 ** 2,
  sizeOf: ({ failure }) => 300 + (failure?.length ?? 0),
})

const away = (message: string): Refusal =>
  new Refusal('unavailable', `the upstream of this workspace failed: ${message}`, {
    reason: 'upstream',
    headers: { 'retry-after': String(FAILED_MS / SECOND) },
  })

function isFresh(hearth: Hearth, row: CachedRow, anyAge: boolean): boolean {
  if (row.kind === 'file' || anyAge) return true
  return hearth.clock.now() - Date.parse(row.checked_at) < FRESH_MS
}

/** What is cached, when its bytes are there. */
async function findWhole(hearth: Hearth, id: string, key: string): Promise<CachedRow | null> {
  const row = findCached(hearth.db, id, key)
  return row !== null && (await localBlob(hearth, row.sha256)) !== null ? row : null
}

/** Notes on the upstream whether its last request failed, when that changed. */
async function noteState(hearth: Hearth, id: string, error: string | null): Promise<void> {
  if ((upstreamById(hearth.db, id)?.last_error ?? null) === error) return
  await writeAs(hearth, null, (tx) => setUpstreamError(tx, id, error))
}

/** Throws 403 when the quota of the workspace has no room for so many bytes. */
const requirePackagesQuota = (hearth: Hearth, { workspace_id }: UpstreamRow, bytes: number): void =>
  requireQuota(hearth, hearth.db, workspace_id, 'packages_bytes', bytes)

/** The refusal of a quota, with the bytes that it was for. */
class QuotaRefusal extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly bytes: number,
  ) {
    super(refusal.message)
  }
}

/** Throws a QuotaRefusal for the refusal of a quota, and other errors as they are. */
async function withBytes<T>(bytes: number, promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    const isQuota = error instanceof Refusal && error.reason === 'quota'
    throw isQuota ? new QuotaRefusal(error, bytes) : error
  }
}

async function store(
  hearth: Hearth,
  upstream: UpstreamRow,
  wanted: Wanted,
  fetched: Extract<Fetched, { outcome: 'stored' }>,
): Promise<CachedRow> {
  const { blob, content_type, etag, last_modified } = fetched
  const given: NewCached = {
    upstream_id: upstream.id,
    key: wanted.key,
    kind: wanted.kind,
    name: wanted.name,
    sha256: blob.sha256,
    size_in_bytes: blob.size,
    content_type,
    etag,
    last_modified,
  }
  const row = await writeAs(hearth, null, (tx) => {
    const current = upstreamById(tx.db, upstream.id)
    // It may have been deleted, or lead elsewhere, since the request was sent.
    if (current === null || current.url !== upstream.url) return null
    requireQuota(hearth, tx.db, upstream.workspace_id, 'packages_bytes', blob.size)
    if (makeRoom(tx, current, wanted.key, blob.size)) putCached(tx, given)
    else removeCached(tx, upstream.id, wanted.key)
    // What the cache has no room for is sent too: its blob stays for a day.
    return (
      findCached(tx.db, upstream.id, wanted.key) ?? {
        ...given,
        checked_at: tx.now,
        changed_at: tx.now,
        used_at: tx.now,
      }
    )
  })
  if (row === null)
    throw new Refusal('unavailable', 'the upstream was changed meanwhile: try again')
  return row
}

async function sendInTurn(
  hearth: Hearth,
  upstream: UpstreamRow,
  { kind, accept, maxBytes, send }: Wanted,
  located: Located,
  known: CachedRow | null,
): Promise<Fetched> {
  const release = await turns(hearth).acquire({ caller: upstream.workspace_id })
  try {
    return await send({
      ...located,
      kind,
      accept,
      maxBytes,
      authorization: null,
      etag: known?.etag ?? null,
      last_modified: known?.last_modified ?? null,
    })
  } finally {
    release()
  }
}

/** Throws UpstreamFailure when the upstream is away. */
async function fetchWanted(
  hearth: Hearth,
  upstream: UpstreamRow,
  wanted: Wanted,
  known: CachedRow | null,
): Promise<ReadResult> {
  // A file is located in a document, which takes a turn of its own.
  const located = await wanted.locate()
  const fetched: Fetched =
    located === null
      ? { outcome: 'missing' }
      : await sendInTurn(hearth, upstream, wanted, located, known)
  if (fetched.outcome === 'refused')
    throw new UpstreamFailure(
      `${located?.url.host} refused the request (${fetched.status}): an owner may have to set its secret`,
    )
  await noteState(hearth, upstream.id, null)
  if (fetched.outcome === 'missing') {
    if (known) await writeAs(hearth, null, (tx) => removeCached(tx, upstream.id, wanted.key))
    return null
  }
  if (fetched.outcome === 'stored') {
    const stored = store(hearth, upstream, wanted, fetched)
    return { row: await withBytes(fetched.blob.size, stored), isStale: false }
  }
  await writeAs(hearth, null, (tx) => setChecked(tx, upstream.id, wanted.key))
  return known && { row: known, isStale: false }
}

const outcomeKey = (upstream: UpstreamRow, wanted: Wanted): string =>
  `${upstream.id} ${upstream.updated_at} ${wanted.key}`

async function fetchOnce(
  hearth: Hearth,
  upstream: UpstreamRow,
  wanted: Wanted,
): Promise<ReadResult> {
  const known = await findWhole(hearth, upstream.id, wanted.key)
  const note = (ms: number, failure: string | null, refusedBytes = 0): void =>
    outcomes(hearth).set(outcomeKey(upstream, wanted), {
      untilMs: hearth.clock.now() + ms,
      failure,
      refusedBytes,
    })
  try {
    const result = await fetchWanted(hearth, upstream, wanted, known)
    if (result === null) note(MISSING_MS, null)
    return result
  } catch (error) {
    if (error instanceof QuotaRefusal) {
      note(QUOTA_MS, null, error.bytes)
      throw error.refusal
    }
    if (!(error instanceof UpstreamFailure)) throw error
    note(FAILED_MS, error.message)
    hearth.log.warn('an upstream of packages failed', {
      type: upstream.type,
      name: wanted.name,
      reason: error.message,
      served: known === null ? 'nothing' : 'the cached document',
    })
    await noteState(hearth, upstream.id, error.message)
    if (known === null) throw away(error.message)
    return { row: known, isStale: true }
  }
}

/** The fetch goes on when the client that began it leaves, because others may wait for it. */
function fetchShared(hearth: Hearth, upstream: UpstreamRow, wanted: Wanted): Promise<ReadResult> {
  const shared = running(hearth)
  const key = outcomeKey(upstream, wanted)
  const started =
    shared.get(key) ??
    fetchOnce(hearth, upstream, wanted).finally(() => {
      shared.delete(key)
    })
  shared.set(key, started)
  return started
}

/** Throws 503 when the upstream is away and nothing is cached. */
export async function readThrough(
  hearth: Hearth,
  upstream: UpstreamRow,
  wanted: Wanted,
): Promise<ReadResult> {
  const row = await findWhole(hearth, upstream.id, wanted.key)
  if (row !== null && isFresh(hearth, row, wanted.anyAge ?? false)) {
    useTimes(hearth).add(row)
    return { row, isStale: false }
  }
  const last = outcomes(hearth).get(outcomeKey(upstream, wanted))
  if (last && last.untilMs > hearth.clock.now()) {
    if (last.refusedBytes > 0) {
      requirePackagesQuota(hearth, upstream, last.refusedBytes)
      return await fetchShared(hearth, upstream, wanted)
    }
    if (last.failure === null) return null
    if (row === null) throw away(last.failure)
    return { row, isStale: true }
  }
  return await fetchShared(hearth, upstream, wanted)
}
