import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import type { Tx, Write } from '#core/write.ts'
import type { Oid, RefUpdate } from '#git'
import { requireQuota } from '#features/workspaces/index.ts'
import { forbidden, Refusal } from '#lib/errors.ts'
import { nextTurn, withTimeout } from '#lib/waiting.ts'
import { bulkPushes, MAX_REFS_WITH_RUNS } from './bulk-pushes.ts'
import { COLLISION_SCAN_DELAY_MS, findSha1Collisions } from './find-sha1-collisions.ts'
import { evaluateMoves, type MoveGuard } from '../refs/move-guard.ts'
import { pushNotes, pushReads, type RuleViolation } from '../extension-points.ts'
import { knownTips, scanMoves, scanPush, type ScannedMove } from './push-protection.ts'
import { auditBypass, findPushProblem } from './push-rules.ts'
import { inTransactions } from '../refs/ref-cache.ts'
import { branchOf, branchRef } from '../refs/ref-names.ts'
import {
  findMoveConflict,
  moveRefs,
  prepareEachUpdate,
  type PreparedUpdate,
} from '../refs/move-refs.ts'
import {
  PushOptions,
  PushOutput,
  ReceivedCertificate,
  RefUpdates,
  type PushSignature,
} from '../schema-code.ts'
import { keepCertificate, verifyCertificate, type CertificateToKeep } from './verify-certificate.ts'
import { privateAddressesOf, findExposedAddress } from './private-addresses.ts'
import { addSize, repoById, requireRepo, type RepoRow } from '../store/repos.ts'

/** So many refs are checked between two turns of the event loop. */
const REFS_PER_TURN = 500

const ATOMIC_REFUSED = 'the push is atomic and another ref was refused'

/** The results of one push, by ref name. */
class PushResults {
  readonly #refused = new Map<string, string>()
  readonly #lines = new Map<string, string[]>()
  constructor(
    private readonly updates: readonly RefUpdate[],
    readonly atomic: boolean,
  ) {}

  refuse(name: string, reason: string): void {
    if (!this.#refused.has(name)) this.#refused.set(name, reason)
  }

  refuseDuplicates(): void {
    const names = new Set<string>()
    for (const { name } of this.updates) {
      if (names.has(name)) this.refuse(name, 'the push names this ref more than once')
      names.add(name)
    }
  }

  refuseAll(reason: string): void {
    for (const { name } of this.updates) this.refuse(name, reason)
  }

  /** The updates that are not refused. One refusal refuses an atomic push as a whole. */
  remaining<U extends RefUpdate>(updates: readonly U[]): U[] {
    if (this.atomic && this.#refused.size > 0) this.refuseAll(ATOMIC_REFUSED)
    return updates.filter(({ name }) => !this.#refused.has(name))
  }

  /** Refuses a ref because of a rule. Each violation adds its line for the terminal. */
  refuseByRule({ ref, message, line }: RuleViolation): void {
    this.refuse(ref, message)
    this.#lines.set(ref, [...(this.#lines.get(ref) ?? []), line])
  }

  /** Adds lines for the terminal that refuse nothing. */
  note(name: string, lines: readonly string[]): void {
    if (lines.length > 0) this.#lines.set(name, [...(this.#lines.get(name) ?? []), ...lines])
  }

  list(): { name: string; refused: string | null; lines: string[] }[] {
    return this.updates.map(({ name }) => ({
      name,
      refused: this.#refused.get(name) ?? null,
      lines: this.#lines.get(name) ?? [],
    }))
  }
}

/**
 * Moves the refs of a push whose objects are on disk. Each ref has its own result, and a refused
 * ref does not hold back the others unless the push is atomic. A refusal by a reaction refuses the
 * whole push, or what is left of one that takes several transactions.
 */
export const push = operation({
  name: 'push',
  summary: 'Push to a repository with git.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    updates: RefUpdates,
    options: PushOptions,
    atomic: Type.Optional(Type.Boolean()),
    unscanned: Type.Optional(
      Type.Boolean({
        description: 'Whether the engine did not scan all objects for SHA-1 collisions.',
      }),
    ),
    bytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of the pack that came with it.' }),
    ),
    certificate: Type.Optional(ReceivedCertificate),
  }),
  output: PushOutput,

  handler: async (
    { hearth, db, caller, repo, write },
    { updates, atomic = false, bytes = 0, unscanned = false, certificate: received },
  ) => {
    const results = new PushResults(updates, atomic)
    const row = requireRepo(db, repo.id)
    const requireSpace = () => {
      if (bytes > 0) requireQuota(hearth, db, row.workspace_id, 'repos_bytes', bytes)
    }
    const certificate =
      received === undefined ? null : verifyCertificate(hearth, caller, repo.id, received)
    const push = await checkPush({ hearth, caller, repo }, row, updates, results, requireSpace)
    const stored: StoredWithPush = {
      bytes,
      certificate,
      unscanned,
      isBulk: updates.length > MAX_REFS_WITH_RUNS,
    }
    const moved = await applyInTransactions({ hearth, repo, write }, row, push, results, {
      stored,
      requireSpace,
    })
    const [first] = moved
    if (first) results.note(first.name, await readNotes(hearth, row, moved))
    return { results: results.list() }
  },
})

async function readForReactions(
  hearth: Hearth,
  row: RepoRow,
  updates: readonly PreparedUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  for (const read of pushReads.all(hearth))
    await read(hearth, row, updates).catch((error: unknown) =>
      hearth.log.error('reading the commits of a push failed', { error }),
    )
}

/** A push waits this long for what features tell about it. */
const NOTES_TIMEOUT_MS = 2_000

async function readNotes(
  hearth: Hearth,
  row: RepoRow,
  moved: readonly PreparedUpdate[],
): Promise<readonly string[]> {
  const stop = new AbortController()
  const notes = pushNotes.all(hearth).map(async (read) => {
    try {
      return await read(hearth, row, moved, stop.signal)
    } catch (error) {
      if (!stop.signal.aborted) hearth.log.error('notes about a push failed', { error })
      return []
    }
  })
  if (notes.length === 0) return []
  const read = await withTimeout(Promise.all(notes), NOTES_TIMEOUT_MS, () => [])
  stop.abort()
  return read.flat()
}

type Pusher = { readonly hearth: Hearth; readonly caller: SignedIn; readonly repo: RepoGrant }

/** What the checks before the transaction found, for use in the transaction. */
type CheckedPush = {
  readonly prepared: readonly PreparedUpdate[]
  readonly guard: MoveGuard
  /** Commits that were in the repository before the push, from which a scan can stop. */
  readonly known: readonly Oid[]
  readonly tips: readonly ScannedMove[]
  /** Whether a job has to scan the commits for tokens. */
  readonly scanLater: boolean
}

/** Runs all checks that may read git, before the transaction. Refusals go into `results`. */
async function checkPush(
  { hearth, caller, repo }: Pusher,
  row: RepoRow,
  updates: readonly RefUpdate[],
  results: PushResults,
  requireSpace: () => void,
): Promise<CheckedPush> {
  results.refuseDuplicates()
  try {
    requireSpace()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    results.refuseAll(error.message)
  }
  for (const [at, update] of updates.entries()) {
    if (at % REFS_PER_TURN === REFS_PER_TURN - 1) await nextTurn()
    const problem = findPushProblem(hearth.db, { row, can: repo.can }, update)
    if (problem) results.refuse(update.name, problem)
  }
  const known = knownTips(hearth.db, row, updates)
  const wanted = results.remaining(updates)
  const prepared = (await prepareEachUpdate(hearth, repo, wanted)).flatMap((ready, at) => {
    if (!(ready instanceof Refusal)) return [ready]
    results.refuse(wanted[at]?.name ?? '', ready.message)
    return []
  })
  const tips = await listMoveTips(hearth, repo.store, results.remaining(prepared))
  const scan = await scanMoves({ hearth, caller }, row, tips, known)
  for (const [name, { reason, lines }] of scan.refused) {
    results.refuse(name, reason)
    results.note(name, lines)
  }
  const privateAddresses = privateAddressesOf(hearth, caller)
  for (const update of privateAddresses ? results.remaining(prepared) : []) {
    const problem =
      privateAddresses && (await findExposedAddress(hearth, repo, privateAddresses, update))
    if (problem) results.refuse(update.name, problem)
  }
  const guard = await evaluateMoves(hearth, repo.id, caller, results.remaining(prepared))
  for (const violation of guard.violations) results.refuseByRule(violation)
  await readForReactions(hearth, row, results.remaining(prepared))
  return { prepared, guard, known, tips, scanLater: scan.later }
}

/** What is stored once for all refs of a push. */
type StoredWithPush = {
  readonly bytes: number
  readonly certificate: CertificateToKeep | null
  /** Whether the engine did not scan all objects for SHA-1 collisions. */
  readonly unscanned: boolean
  readonly isBulk: boolean
}

/**
 * Moves the refs that are not refused, many of them in several transactions, so that others can
 * write in between. An atomic push has one. When one refuses, the refs of the later ones do not
 * move either.
 */
async function applyInTransactions(
  { hearth, repo, write }: { hearth: Hearth; repo: RepoGrant; write: Write },
  row: RepoRow,
  push: CheckedPush,
  results: PushResults,
  { stored, requireSpace }: { stored: StoredWithPush; requireSpace: () => void },
): Promise<PreparedUpdate[]> {
  const remaining = results.remaining(push.prepared)
  const parts = results.atomic ? [remaining] : inTransactions(orderMoves(row, remaining))
  const moved: PreparedUpdate[] = []
  let signature: PushSignature | undefined
  for (const [at, part] of parts.entries()) {
    if (part.length === 0) continue
    const isFirst = moved.length === 0
    try {
      const applied = await write((tx) => {
        if (stored.isBulk) bulkPushes(hearth).add(tx)
        const updates = recheckMoves(tx, repo, push.guard, part, results)
        if (isFirst) requireSpace()
        if (updates.length === 0) return { updates, signature }
        const signed = isFirst ? storeWithPush(tx, repo, push, results, stored) : signature
        auditBypass(tx, requireRepo(tx.db, repo.id), updates, signed)
        moveRefs(tx, repo, updates, { ...(signed && { signature: signed }) })
        return { updates, signature: signed }
      })
      moved.push(...applied.updates)
      signature = applied.signature
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      for (const { name } of parts.slice(at).flat()) results.refuse(name, error.message)
      break
    }
  }
  return moved
}

/**
 * The order in which refs move in several transactions: deletions first, so that a push can replace
 * refs/heads/a by refs/heads/a/b, then the branch that becomes the default one of a repository
 * without branches, then the other branches.
 */
function orderMoves(row: RepoRow, updates: readonly PreparedUpdate[]): PreparedUpdate[] {
  const first = [row.default_branch, 'main', 'master'].map(branchRef)
  const rank = ({ name, new: to }: PreparedUpdate): number =>
    to === null ? 0 : first.includes(name) ? 1 : branchOf(name) === null ? 3 : 2
  return updates.toSorted((a, b) => rank(a) - rank(b))
}

/** Checks again what may have changed since. Throws a Refusal when no ref may move. */
function recheckMoves(
  tx: Tx,
  repo: RepoGrant,
  guard: MoveGuard,
  prepared: readonly PreparedUpdate[],
  results: PushResults,
): PreparedUpdate[] {
  const row = repoById(tx.db, repo.id)
  const parent = row?.parent_id ? repoById(tx.db, row.parent_id) : row
  if (!row || !parent || parent.deleted_at !== null)
    throw new Refusal('not_found', 'the repository is gone')
  if (parent.archived_at !== null)
    throw forbidden('archived', `${repo.full_name} is archived and read-only`)
  for (const update of results.remaining(prepared)) {
    const problem = findPushProblem(tx.db, { row, can: repo.can }, update)
    if (problem) results.refuse(update.name, problem)
  }
  const movable = withoutConflicts(results, prepared, (update) =>
    findMoveConflict(tx.db, repo.id, update),
  )
  for (const violation of guard.recheck(tx, movable)) results.refuseByRule(violation)
  return results.remaining(prepared)
}

/**
 * Stores what all refs of a push have in common, with the first that move, and enqueues the scans
 * that would have taken too long while the client waits.
 */
function storeWithPush(
  tx: Tx,
  repo: RepoGrant,
  { prepared, known, tips, scanLater }: CheckedPush,
  results: PushResults,
  { bytes, certificate, unscanned }: StoredWithPush,
): PushSignature | undefined {
  const row = requireRepo(tx.db, repo.id)
  if (bytes > 0) addSize(tx, row.parent_id ?? row.id, bytes)
  const updates = results.remaining(prepared)
  const objects = unscanned ? updates.flatMap((update) => update.new ?? []) : []
  if (objects.length > 0)
    tx.enqueue(
      findSha1Collisions,
      { repo_id: repo.id, tips: [...new Set(objects)], hide: known },
      { delay_ms: COLLISION_SCAN_DELAY_MS },
    )
  const names = new Set(updates.map(({ name }) => name))
  const commits = scanLater ? tips.filter(({ name }) => names.has(name)).map(({ tip }) => tip) : []
  if (commits.length > 0)
    tx.enqueue(scanPush, { repo_id: repo.id, tips: [...new Set(commits)], hide: known })
  return certificate === null ? undefined : keepCertificate(tx, certificate)
}

/** Returns the commits that the moves lead to. A tag of another object type has none. */
async function listMoveTips(
  { git }: Hearth,
  store: string,
  updates: readonly PreparedUpdate[],
): Promise<ScannedMove[]> {
  const moves: ScannedMove[] = []
  for (const { name, new: to } of updates) {
    const tip = to === null || branchOf(name) !== null ? to : await git.peelToCommit(store, to)
    if (tip !== null) moves.push({ name, tip })
  }
  return moves
}

/**
 * Refuses updates whose ref has moved meanwhile. A name conflict with a ref that the same push
 * deletes is allowed.
 */
function withoutConflicts(
  results: PushResults,
  prepared: readonly PreparedUpdate[],
  problemOf: (update: RefUpdate) => Refusal | null,
): PreparedUpdate[] {
  const remaining = results.remaining(prepared)
  const deleted = new Set(remaining.filter((update) => update.new === null).map(({ name }) => name))
  for (const update of remaining) {
    const problem = problemOf(update)
    if (!problem) continue
    const blocking = problem.details.ref
    if (
      problem.reason === 'already_exists' &&
      typeof blocking === 'string' &&
      deleted.has(blocking)
    )
      continue
    results.refuse(
      update.name,
      problem.reason === 'base_moved' ? 'it has moved since: fetch and try again' : problem.message,
    )
  }
  return results.remaining(remaining)
}
