/**
 * Fetches from a remote that leads or led. While it leads, our refs follow it. During a takeover
 * its commits are kept aside, or taken when they only add (`remote_pushes`).
 */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  chooseFirstBranch,
  COLLISION_SCAN_DELAY_MS,
  findSha1Collisions,
  moveInBatches,
  prepareFetchedRefs,
  remoteTransport,
  requireRepo,
  selectFetchedRefs,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { RemoteError, type FetchResult, type Oid, type RemoteRefs, type Transport } from '#git'
import { applyFact } from './apply-fact.ts'
import { downloadLargeFiles } from './large-files.ts'
import { computePlan } from './compute-plan.ts'
import { leaderOf } from './link-state.ts'
import { presentRefs, remoteAccess } from './remote.ts'
import { addRemoteRefs, listMirrorRefs, setRemoteRefs, setTakenOverRef } from './store-refs.ts'
import { setMirror, type MirrorRow } from './store.ts'
import {
  defaultRefOf,
  findLoss,
  moveToRemote,
  oidsOf,
  PREFIXES,
  SYNC_INTERVAL_MS,
  visibleRefs,
  writeForLink,
} from './sync-options.ts'

/** The most messages about refs that were left out. */
const MAX_LEFT_OUT = 100

export type FollowOptions = {
  readonly signal: AbortSignal
  /** Whether an administrator accepts that the remote lost refs. */
  readonly accept: boolean
}

/**
 * Brings this side up to date with the remote. Throws RemoteError and OutboundError for faults of
 * the remote, and LinkChanged when the link changed meanwhile.
 */
export async function followRemote(
  hearth: Hearth,
  row: MirrorRow,
  { signal, accept }: FollowOptions,
): Promise<void> {
  const leads = leaderOf(row) === 'remote'
  await fetchChanges(hearth, row, { leads, accept, signal })
  if (!leads && row.remote_pushes === 'fast_forward') await takeAdditions(hearth, row)
}

/**
 * Lists the remote, and fetches unless it is as it was at the last fetch. Our refs move when the
 * remote leads. Returns the names of refs that cannot exist here.
 */
export async function fetchChanges(
  hearth: Hearth,
  row: MirrorRow,
  { leads, accept, signal }: FollowOptions & { readonly leads: boolean },
): Promise<ReadonlySet<string>> {
  const options = { url: row.url, prefixes: PREFIXES, signal }
  const transport = remoteTransport(hearth, remoteAccess(hearth, row))
  // A first fetch has nothing to compare the list with, and lists the refs itself.
  const isFirst = leads && seenRefs(hearth, row).size === 0
  const listed = isFirst ? null : await hearth.git.listRemote(transport, options)
  if (listed !== null && leads && !accept) requireRefs(hearth, row, listed)
  if (listed === null || !isUpToDate(hearth, row, listed, leads))
    return await fetchRefs(hearth, row, leads, signal, transport)
  await finish(hearth, row, leads, JSON.parse(row.left_out) as string[])
  return new Set()
}

/** What was seen on the remote at the last fetch. */
const seenRefs = (hearth: Hearth, row: MirrorRow): Map<string, Oid> =>
  new Map(
    listMirrorRefs(hearth.db, row.id).flatMap(({ name, remote_oid }) =>
      remote_oid === null ? [] : [[name, remote_oid]],
    ),
  )

function requireRefs(hearth: Hearth, row: MirrorRow, listed: RemoteRefs): void {
  const loss = findLoss(seenRefs(hearth, row), oidsOf(listed), defaultRefOf(hearth, row.repo_id))
  if (loss !== null)
    throw new RemoteError('invalid', `${loss}: an administrator can sync by hand to accept it`)
}

function isUpToDate(hearth: Hearth, row: MirrorRow, listed: RemoteRefs, leads: boolean): boolean {
  const seen = seenRefs(hearth, row)
  const ours = leads ? visibleRefs(hearth, row.repo_id) : null
  return (
    listed.malformed === 0 &&
    seen.size === listed.refs.length &&
    listed.refs.every(
      ({ name, oid }) => seen.get(name) === oid && (ours === null || ours.get(name) === oid),
    )
  )
}

async function fetchRefs(
  hearth: Hearth,
  row: MirrorRow,
  leads: boolean,
  signal: AbortSignal,
  transport: Transport,
): Promise<ReadonlySet<string>> {
  const repo = requireRepo(hearth.db, row.repo_id)
  let tooMuch: string | null = null
  const fetched = await hearth.git.fetchFrom(repo.store, transport, {
    url: row.url,
    prefixes: PREFIXES,
    local: presentRefs(hearth, repo.id),
    signal,
    apply: async (result) => {
      tooMuch = findQuotaProblem(hearth, repo.workspace_id, 'repos_bytes', result.bytes)
      if (tooMuch !== null) return false
      const missing = await downloadLargeFiles(hearth, row, result, signal)
      await applyRefs(hearth, row, leads, result, missing)
      return true
    },
  })
  if (tooMuch !== null) throw new RemoteError('invalid', tooMuch)
  if (fetched.unscanned)
    await writeForLink(hearth, row, (tx) => {
      tx.enqueue(
        findSha1Collisions,
        { repo_id: repo.id, tips: null },
        { key: repo.id, delay_ms: COLLISION_SCAN_DELAY_MS },
      )
    })
  const good = new Set(selectFetchedRefs(fetched).good.map(({ name }) => name))
  return new Set(fetched.remote.refs.flatMap(({ name }) => (good.has(name) ? [] : [name])))
}

async function applyRefs(
  hearth: Hearth,
  row: MirrorRow,
  leads: boolean,
  fetched: FetchResult,
  missing: readonly string[],
): Promise<void> {
  if (!leads) {
    const { good, left } = selectFetchedRefs(fetched)
    return finish(hearth, row, leads, [...left, ...missing], (tx) =>
      setRemoteRefs(tx, row.id, good),
    )
  }
  const had = seenRefs(hearth, row)
  // From here on garbage collection keeps the objects, whether or not a ref points at them.
  await writeForLink(hearth, row, (tx) => addRemoteRefs(tx, row.id, fetched.refs))
  const left = await moveOurs(hearth, row, fetched, had)
  await finish(hearth, row, leads, [...left, ...missing], (tx) =>
    setRemoteRefs(tx, row.id, fetched.refs),
  )
}

/** Moves our refs to those of the remote. Only refs that the remote had are deleted. */
async function moveOurs(
  hearth: Hearth,
  row: MirrorRow,
  fetched: FetchResult,
  had: ReadonlyMap<string, Oid>,
): Promise<string[]> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const { good, left } = selectFetchedRefs(fetched)
  const ours = visibleRefs(hearth, repo.id)
  const has = oidsOf(fetched.remote)
  const deletions: PreparedUpdate[] = [...had.keys()].flatMap((name) => {
    const old = ours.get(name)
    return has.has(name) || old === undefined
      ? []
      : [{ name, old, new: null, peeled: null, commits: 0, forced: false }]
  })
  const first = chooseFirstBranch(fetched, good)
  const head =
    first === null ? [] : await prepareFetchedRefs(hearth, repo.store, [first], ours, null)
  const rest = good.filter((ref) => ref !== first)
  const others = await prepareFetchedRefs(hearth, repo.store, rest, ours, first?.oid ?? null)
  const move = (updates: readonly PreparedUpdate[]): Promise<void> =>
    writeForLink(hearth, row, (tx) => moveToRemote(tx, row, updates))
  // A name that was a branch may be a folder now, so deletions come first.
  return [...left, ...(await moveInBatches(head, [...deletions, ...others], move))]
}

/** Stores that the remote and this side were compared, in the transaction of `more`. */
const finish = (
  hearth: Hearth,
  row: MirrorRow,
  leads: boolean,
  left: readonly string[],
  more: (tx: Tx) => void = () => {},
): Promise<void> =>
  writeForLink(hearth, row, (tx) => {
    more(tx)
    setMirror(tx, row.id, {
      synced_at: tx.now,
      sync_at: tx.now_ms + SYNC_INTERVAL_MS,
      last_error: null,
      left_out: JSON.stringify(left.slice(0, MAX_LEFT_OUT)),
    })
    if (leads) applyFact(tx, row.id, { kind: 'fetched' })
  })

/** During a takeover, takes commits of the remote that only add to ours. */
async function takeAdditions(hearth: Hearth, row: MirrorRow): Promise<void> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const planned = await computePlan(hearth, row)
  const wanted = planned.refs.flatMap(({ name, action, remote }) =>
    action === 'fetch' && remote !== null ? [{ name, oid: remote, peeled: null }] : [],
  )
  const ours = visibleRefs(hearth, repo.id)
  const prepared = await prepareFetchedRefs(hearth, repo.store, wanted, ours, null)
  await moveInBatches(
    [],
    prepared.filter(({ forced }) => !forced),
    (updates) =>
      writeForLink(hearth, row, (tx) => {
        moveToRemote(tx, row, updates)
        for (const { name, new: to } of updates)
          if (to !== null) setTakenOverRef(tx, row.id, name, to)
      }),
  )
}
