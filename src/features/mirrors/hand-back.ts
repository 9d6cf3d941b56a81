/**
 * Hands the lead back to the remote: fetches all that it has, plans each ref, takes and pushes what
 * the plan says, and reads the remote again. It leads only when that list equals our refs.
 */
import type { Hearth } from '#core/hearth.ts'
import {
  moveInBatches,
  prepareFetchedRefs,
  remoteTransport,
  requireRepo,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import type { Oid, PushCommand } from '#git'
import { applyFact } from './apply-fact.ts'
import { computePlan, type PlannedRef } from './compute-plan.ts'
import { fetchChanges } from './follow-remote.ts'
import type { Resolution } from './plan.ts'
import { pushRefs } from './push-refs.ts'
import { remoteAccess } from './remote.ts'
import { keepRef, setRemoteRefs } from './store-refs.ts'
import { findMirror, setMirror, type MirrorRow } from './store.ts'
import { moveToRemote, oidsOf, PREFIXES, visibleRefs, writeForLink } from './sync-options.ts'

/** Refs of the remote may move between a plan and its push. Then the next round plans again. */
const MAX_ROUNDS = 3

/** Starts a hand-back by itself when nothing conflicts. Returns the link as it is afterwards. */
export async function beginHandBack(
  hearth: Hearth,
  row: MirrorRow,
  signal: AbortSignal,
): Promise<MirrorRow | null> {
  await fetchChanges(hearth, row, { leads: false, accept: false, signal })
  const { ready } = await computePlan(hearth, row)
  if (!ready) return null
  await writeForLink(hearth, row, (tx) => {
    setMirror(tx, row.id, { resolve: '{}' })
    applyFact(tx, row.id, { kind: 'hand_back' })
  })
  return findMirror(hearth.db, row.id)
}

/** Carries out a hand-back. Ends in standing_by, or in takeover with the reason. */
export async function handBack(hearth: Hearth, row: MirrorRow, signal: AbortSignal): Promise<void> {
  const resolve = JSON.parse(row.resolve) as Resolution
  let problem = 'the remote changed meanwhile: hand back again'
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ignored = await fetchChanges(hearth, row, { leads: false, accept: false, signal })
    const { refs, ready } = await computePlan(hearth, row, resolve)
    if (!ready) {
      problem = 'the plan has conflicts: choose a side for each'
      break
    }
    await takeTheirs(hearth, row, refs)
    const refused = await sendOurs(hearth, row, refs, signal)
    if (await confirm(hearth, row, ignored, signal)) return
    const [first] = refused
    if (first) problem = `the remote refused ${first[0]}: ${first[1]}`
  }
  await writeForLink(hearth, row, (tx) => {
    setMirror(tx, row.id, { last_error: problem })
    applyFact(tx, row.id, { kind: 'hand_back_failed' })
  })
}

/** Moves our refs to those of the remote where the plan says `fetch`. */
async function takeTheirs(
  hearth: Hearth,
  row: MirrorRow,
  refs: readonly PlannedRef[],
): Promise<void> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const taken = refs.filter(({ action }) => action === 'fetch')
  const ours = visibleRefs(hearth, repo.id)
  const deletions: PreparedUpdate[] = taken.flatMap(({ name, remote }) => {
    const old = ours.get(name)
    return remote === null && old !== undefined
      ? [{ name, old, new: null, peeled: null, commits: 0, forced: false }]
      : []
  })
  const wanted = taken.flatMap(({ name, remote }) =>
    remote === null ? [] : [{ name, oid: remote, peeled: null }],
  )
  const updates = await prepareFetchedRefs(hearth, repo.store, wanted, ours, null)
  await moveInBatches([], [...deletions, ...updates], (batch) =>
    writeForLink(hearth, row, (tx) => moveToRemote(tx, row, batch)),
  )
}

const isSent = ({ action }: PlannedRef): boolean =>
  action === 'push' || action === 'create' || action === 'delete'

/** Pushes our refs. Commits of the remote that this takes away are kept before. */
async function sendOurs(
  hearth: Hearth,
  row: MirrorRow,
  refs: readonly PlannedRef[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const sent = refs.filter(isSent)
  const commands: PushCommand[] = sent.map(({ name, service, remote }) => ({
    name,
    old: remote,
    new: service,
  }))
  if (commands.length === 0) return new Map()
  await writeForLink(hearth, row, (tx) => {
    for (const { name, remote, service, behind } of sent)
      if (remote !== null && (service === null || behind > 0 || name.startsWith('refs/tags/')))
        keepRef(tx, {
          repo_id: row.repo_id,
          oid: remote,
          name,
          mirror_id: row.id,
          side: 'remote',
        })
  })
  return pushRefs(hearth, row, commands, signal)
}

const isEqual = (a: ReadonlyMap<string, Oid>, b: ReadonlyMap<string, Oid>): boolean =>
  a.size === b.size && [...a].every(([name, oid]) => b.get(name) === oid)

/**
 * Lists the remote once more. In one transaction, compares the list with our refs and gives the
 * lead back. False when they differ in a ref that can exist here.
 */
async function confirm(
  hearth: Hearth,
  row: MirrorRow,
  ignored: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const listed = await hearth.git.listRemote(remoteTransport(hearth, remoteAccess(hearth, row)), {
    url: row.url,
    prefixes: PREFIXES,
    signal,
  })
  return writeForLink(hearth, row, (tx) => {
    const refs = listed.refs.filter(({ name }) => !ignored.has(name))
    if (!isEqual(oidsOf({ refs }), visibleRefs(hearth, row.repo_id))) return false
    setRemoteRefs(tx, row.id, refs)
    setMirror(tx, row.id, { synced_at: tx.now, last_error: null, resolve: '{}' })
    applyFact(tx, row.id, { kind: 'handed_back' })
    return true
  })
}
