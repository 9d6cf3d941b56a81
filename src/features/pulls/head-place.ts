/**
 * The branch that a pull request comes from, as somebody who may push to it: a branch of the
 * repository, or of its own fork.
 */
import { decide, writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import {
  auditBypass,
  branchRef,
  checkPush,
  moveRefs,
  prepareUpdates,
  readRef,
  requireMoves,
  requireRepo,
  scanBefore,
  scanPush,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import type { PullContext } from './context.ts'
import { forkName } from './record.ts'
import { requireActive, type PullRow } from './store.ts'

export type HeadPlace = { readonly grant: RepoGrant; readonly ref: string; readonly sha: Oid }

/**
 * Gives 403 to somebody who may not push there, 409 when nothing was pushed yet or the pull request
 * is settled.
 */
export function requireHeadPlace(
  hearth: Hearth,
  caller: SignedIn,
  { full_name }: PullContext,
  pull: PullRow,
  scope: string,
): HeadPlace {
  const path = pull.branch === null ? forkName(full_name, pull.number) : full_name
  const { repo } = decide(writesRepo('write', { scope }), caller, { repo: path }, hearth.facts)
  if (!repo) throw new TypeError('a rule about repositories grants one')
  requireActive(pull)
  if (pull.head_ref === null || pull.head_sha === null)
    throw conflict('not_ready', 'nothing has been pushed yet')
  return { grant: repo, ref: branchRef(pull.head_ref), sha: pull.head_sha }
}

/** Gives 409 unless the head is still the one that the caller looked at. */
export function requireExpectedHead(pull: PullRow, expected: string | undefined): void {
  if (expected === undefined || pull.head_sha?.startsWith(expected)) return
  throw conflict(
    'head_moved',
    `the head of #${pull.number} is ${pull.head_sha ?? 'not there yet'}, not ${expected}`,
    { head: pull.head_sha },
  )
}

const headMoved = (pull: Pick<PullRow, 'number'>, head: Oid | null) =>
  conflict('head_moved', `#${pull.number} was pushed to just now; look at it again`, { head })

export type HeadMove = {
  readonly place: HeadPlace
  readonly update: PreparedUpdate
  readonly guard: (tx: Tx) => void
  readonly scanLater: { tips: Oid[]; hide: Oid[] } | null
}

/**
 * Prepares moving the head to a commit whose objects are on disk. Gives 403 when the rules of the
 * branch refuse that, or for a secret in it.
 */
export async function prepareHeadMove(
  hearth: Hearth,
  caller: SignedIn,
  place: HeadPlace,
  to: Oid,
): Promise<HeadMove> {
  const { grant, ref, sha } = place
  const row = requireRepo(hearth.db, grant.id)
  const why = checkPush(hearth.db, { row, can: grant.can }, { name: ref, old: sha, new: to })
  if (why) throw forbidden('role', why)
  const [update] = await prepareUpdates(hearth, grant, [{ name: ref, old: sha, new: to }])
  if (!update) throw new TypeError('one update gives one')
  const range = { tips: [to], hide: [sha] }
  const { refused, later } = await scanBefore(hearth, row, range)
  if (refused !== null) throw forbidden('push_protection', refused)
  return {
    place,
    update,
    guard: await requireMoves(hearth, grant.id, caller, [update]),
    scanLater: later ? range : null,
  }
}

/** Moves the head, as a push would. Gives 409 `head_moved` when somebody was quicker. */
export function moveHeadTo(
  tx: Tx,
  pull: PullRow,
  { place, update, guard, scanLater }: HeadMove,
): void {
  const { grant, ref, sha } = place
  const now = readRef(tx.db, grant.id, ref)
  if (now !== sha || pull.head_sha !== sha) throw headMoved(pull, now)
  requireActive(pull)
  const row = requireRepo(tx.db, grant.id)
  const why = checkPush(tx.db, { row, can: grant.can }, update)
  if (why) throw forbidden('role', why)
  guard(tx)
  auditBypass(tx, row, [update])
  moveRefs(tx, grant, [update])
  if (scanLater) tx.enqueue(scanPush, { repo_id: grant.id, ...scanLater })
}
