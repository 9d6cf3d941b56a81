/**
 * The head branch of a pull request (in the repository or in its own fork), for a caller who may
 * push to it.
 */
import { decide, writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import {
  auditBypass,
  branchRef,
  findPushProblem,
  moveRefs,
  prepareUpdates,
  readRef,
  requireMovesAllowed,
  requireRepo,
  scanRange,
  scanPush,
  throwIfRefused,
  type MoveOptions,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import type { PullContext } from '../pull-context.ts'
import { forkName } from '../pull-record.ts'
import { requireActive, type PullRow } from '../store-pulls.ts'

export type HeadLocation = { readonly grant: RepoGrant; readonly ref: string; readonly sha: Oid }

/**
 * Throws 403 when the caller may not push there, 409 when nothing was pushed yet or the pull
 * request is settled.
 */
export function requireHeadLocation(
  hearth: Hearth,
  caller: SignedIn,
  { full_name }: PullContext,
  pull: PullRow,
  scope: string,
): HeadLocation {
  const path = pull.branch === null ? forkName(full_name, pull.number) : full_name
  const { repo } = decide(writesRepo('write', { scope }), caller, { repo: path }, hearth.facts)
  if (!repo) throw new TypeError('a rule about repositories grants one')
  requireActive(pull)
  if (pull.head_ref === null || pull.head_sha === null)
    throw conflict('not_ready', 'nothing has been pushed yet')
  return { grant: repo, ref: branchRef(pull.head_ref), sha: pull.head_sha }
}

/** Throws 409 unless the head is the commit that the caller names. */
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
  readonly place: HeadLocation
  readonly update: PreparedUpdate
  readonly guard: (tx: Tx) => void
  readonly scanLater: { tips: Oid[]; hide: Oid[] } | null
}

/**
 * Prepares moving the head to a commit whose objects are on disk. Throws 403 when rules of the
 * branch or push protection refuse the commit.
 */
export async function prepareHeadMove(
  hearth: Hearth,
  caller: SignedIn,
  place: HeadLocation,
  to: Oid,
): Promise<HeadMove> {
  const { grant, ref, sha } = place
  const row = requireRepo(hearth.db, grant.id)
  const why = findPushProblem(hearth.db, { row, can: grant.can }, { name: ref, old: sha, new: to })
  if (why) throw forbidden('role', why)
  const [update] = await prepareUpdates(hearth, grant, [{ name: ref, old: sha, new: to }])
  if (!update) throw new TypeError('one update gives one')
  const range = { tips: [to], hide: [sha] }
  const { refused, later } = await scanRange({ hearth, caller }, row, range)
  throwIfRefused(refused)
  return {
    place,
    update,
    guard: await requireMovesAllowed(hearth, grant.id, caller, [update]),
    scanLater: later ? range : null,
  }
}

/** Moves the head, as a push would. Throws 409 `head_moved` when the head moved meanwhile. */
export function moveHeadTo(
  tx: Tx,
  pull: PullRow,
  { place, update, guard, scanLater }: HeadMove,
  options: MoveOptions = {},
): void {
  const { grant, ref, sha } = place
  const now = readRef(tx.db, grant.id, ref)
  if (now !== sha || pull.head_sha !== sha) throw headMoved(pull, now)
  requireActive(pull)
  const row = requireRepo(tx.db, grant.id)
  const why = findPushProblem(tx.db, { row, can: grant.can }, update)
  if (why) throw forbidden('role', why)
  guard(tx)
  auditBypass(tx, row, [update])
  moveRefs(tx, grant, [update], options)
  if (scanLater) tx.enqueue(scanPush, { repo_id: grant.id, ...scanLater })
}
