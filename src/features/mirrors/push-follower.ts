/** Pushes our refs to a remote that follows. What others made there is never overwritten. */
import type { Hearth } from '#core/hearth.ts'
import { branchOf, remoteTransport, requireRepo } from '#features/repos/index.ts'
import type { Oid, PushCommand } from '#git'
import { applyFact } from './apply-fact.ts'
import { planFollowerRef, type FollowerRef } from './plan.ts'
import { pushRefs } from './push-refs.ts'
import { presentRefs, remoteAccess } from './remote.ts'
import { keepRef, listMirrorRefs } from './store-refs.ts'
import { setMirror, type MirrorRow } from './store.ts'
import { oidsOf, PREFIXES, visibleRefs, writeForLink } from './sync-options.ts'

/** The most refs that a message names. */
const MAX_NAMED = 5

type Planned = FollowerRef & { readonly action: ReturnType<typeof planFollowerRef> }

/**
 * Pushes what changed. `force` overwrites refs that diverged; their commits are fetched and kept
 * before.
 */
export async function pushFollower(
  hearth: Hearth,
  row: MirrorRow,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const options = { url: row.url, prefixes: PREFIXES, signal }
  const transport = remoteTransport(hearth, remoteAccess(hearth, row))
  const remote = oidsOf(await hearth.git.listRemote(transport, options))
  const planned = await planRefs(hearth, row, remote, force)
  if (force) await keepOverwritten(hearth, row, planned, signal)
  const commands: PushCommand[] = planned.flatMap(({ name, action, service, remote: old }) =>
    action === 'push' || action === 'delete' ? [{ name, old, new: service }] : [],
  )
  const refused = commands.length === 0 ? new Map() : await pushRefs(hearth, row, commands, signal)
  await storeOutcome(hearth, row, planned, refused)
}

async function planRefs(
  hearth: Hearth,
  row: MirrorRow,
  remote: ReadonlyMap<string, Oid>,
  force: boolean,
): Promise<Planned[]> {
  const { store } = requireRepo(hearth.db, row.repo_id)
  const ours = visibleRefs(hearth, row.repo_id)
  const pushed = new Map(
    listMirrorRefs(hearth.db, row.id).map(({ name, pushed_oid }) => [name, pushed_oid]),
  )
  const planned: Planned[] = []
  for (const name of new Set([...ours.keys(), ...pushed.keys()])) {
    const ref: FollowerRef = {
      name,
      service: ours.get(name) ?? null,
      remote: remote.get(name) ?? null,
      pushed: pushed.get(name) ?? null,
    }
    const contains =
      branchOf(name) !== null &&
      ref.service !== null &&
      ref.remote !== null &&
      ref.service !== ref.remote &&
      ref.remote !== ref.pushed &&
      (await hearth.git.isReachable(store, ref.remote, [ref.service]))
    planned.push({ ...ref, action: planFollowerRef(ref, force, contains) })
  }
  return planned
}

/** Fetches and keeps commits of the remote that a forced push would overwrite. */
async function keepOverwritten(
  hearth: Hearth,
  row: MirrorRow,
  planned: readonly Planned[],
  signal: AbortSignal,
): Promise<void> {
  const { store } = requireRepo(hearth.db, row.repo_id)
  const lost = new Map(
    planned.flatMap(({ name, action, remote, pushed }) =>
      action === 'push' && remote !== null && remote !== pushed ? [[name, remote]] : [],
    ),
  )
  if (lost.size === 0) return
  await hearth.git.fetchFrom(store, remoteTransport(hearth, remoteAccess(hearth, row)), {
    url: row.url,
    prefixes: PREFIXES,
    local: presentRefs(hearth, row.repo_id),
    signal,
    selectRefs: ({ refs }) => refs.filter(({ name, oid }) => lost.get(name) === oid),
    apply: (fetched) =>
      writeForLink(hearth, row, (tx) => {
        for (const { name, oid } of fetched.refs)
          keepRef(tx, { repo_id: row.repo_id, oid, name, mirror_id: row.id, side: 'remote' })
      }),
  })
}

const nameSome = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`

async function storeOutcome(
  hearth: Hearth,
  row: MirrorRow,
  planned: readonly Planned[],
  refused: ReadonlyMap<string, string>,
): Promise<void> {
  const diverged = planned.flatMap(({ name, action }) => (action === 'diverged' ? [name] : []))
  const messages = [...refused].map(([name, reason]) => `${name} was refused: ${reason}`)
  const error =
    diverged.length > 0
      ? `the remote has other commits in ${nameSome(diverged)}`
      : (messages[0] ?? null)
  await writeForLink(hearth, row, (tx) => {
    setMirror(tx, row.id, {
      last_error: error,
      left_out: JSON.stringify(messages),
      ...(error === null && { synced_at: tx.now }),
    })
    applyFact(tx, row.id, { kind: 'pushed', diverged: diverged.length > 0 })
  })
}
