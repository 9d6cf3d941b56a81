import { writesRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import type { RefUpdate } from '#git'
import { requireRoomToGrow } from '#features/workspaces/index.ts'
import { forbidden, Refusal } from '#lib/errors.ts'
import { LOOK_AFTER_MS, lookForForged } from './look-for-forged.ts'
import { guardMoves } from './move-guard.ts'
import type { Objection } from './points.ts'
import { knownTips, scanMoves, scanPush, type ScannedMove } from './push-protection.ts'
import { auditBypass, checkPush } from './push-rules.ts'
import { branchOf } from './ref-names.ts'
import { moveProblem, moveRefs, prepareEach, type PreparedUpdate } from './refs.ts'
import { ObjectId } from './schema-code.ts'
import { hiddenFrom, shownAddress } from './shown-addresses.ts'
import { addSize, repoById, requireRepo } from './store.ts'

const ATOMIC = 'the push is atomic and another ref was refused'

/** The refusals of one push, by the name of the ref. */
class Verdicts {
  readonly #refused = new Map<string, string>()
  readonly #lines = new Map<string, string[]>()
  constructor(
    private readonly updates: readonly RefUpdate[],
    private readonly atomic: boolean,
  ) {}

  refuse(name: string, why: string): void {
    if (!this.#refused.has(name)) this.#refused.set(name, why)
  }

  refuseAll(why: string): void {
    for (const { name } of this.updates) this.refuse(name, why)
  }

  /** What can go on: for an atomic push everything or nothing. */
  left<U extends RefUpdate>(updates: readonly U[]): U[] {
    if (this.atomic && this.#refused.size > 0) this.refuseAll(ATOMIC)
    return updates.filter(({ name }) => !this.#refused.has(name))
  }

  /** A rule stands against it; of several each has its line. */
  object({ ref, message, line }: Objection): void {
    this.refuse(ref, message)
    this.#lines.set(ref, [...(this.#lines.get(ref) ?? []), line])
  }

  results(): { name: string; refused: string | null; lines: string[] }[] {
    return this.updates.map(({ name }) => ({
      name,
      refused: this.#refused.get(name) ?? null,
      lines: this.#lines.get(name) ?? [],
    }))
  }
}

/**
 * Moves the refs of a push whose objects are on disk. Each ref has its own verdict; what is refused
 * does not keep the others, unless the push is atomic. A refusal by a reaction concerns the whole
 * push.
 */
export const push = operation({
  name: 'push',
  summary: 'Push to a repository with git.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    updates: Type.Array(
      Type.Object({ name: Type.String(), old: Nullable(ObjectId), new: Nullable(ObjectId) }),
    ),
    options: Type.Optional(Type.Array(Type.String())),
    atomic: Type.Optional(Type.Boolean()),
    unlooked: Type.Optional(
      Type.Boolean({
        description:
          'Whether the engine left objects for later in its search for SHA-1 collisions.',
      }),
    ),
    bytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of the pack that came with it.' }),
    ),
  }),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        name: Type.String(),
        refused: Nullable(Type.String()),
        lines: Type.Array(Type.String()),
      }),
    ),
  }),

  handler: async (
    { hearth, db, caller, repo, write },
    { updates, atomic = false, bytes = 0, unlooked = false },
  ) => {
    const verdicts = new Verdicts(updates, atomic)
    const names = new Set<string>()
    for (const { name } of updates) {
      if (names.has(name)) verdicts.refuse(name, 'the push names this ref more than once')
      names.add(name)
    }
    const row = requireRepo(db, repo.id)
    const fits = () => {
      if (bytes > 0) requireRoomToGrow(hearth, db, row.workspace_id, 'repos_bytes', bytes)
    }
    try {
      fits()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      verdicts.refuseAll(error.message)
    }
    for (const update of updates) {
      const why = checkPush(db, { row, can: repo.can }, update)
      if (why) verdicts.refuse(update.name, why)
    }
    const hide = knownTips(
      db,
      row,
      updates.map(({ name }) => name),
    )
    const asked = verdicts.left(updates)
    const prepared = (await prepareEach(hearth, repo, asked)).flatMap((ready, at) => {
      if (!(ready instanceof Refusal)) return [ready]
      verdicts.refuse(asked[at]?.name ?? '', ready.message)
      return []
    })
    const scanned = await tipsOf(hearth, repo.store, verdicts.left(prepared))
    const scan = await scanMoves(hearth, row, scanned, hide)
    for (const [name, why] of scan.refused) verdicts.refuse(name, why)
    const hidden = hiddenFrom(hearth, caller)
    for (const update of hidden ? verdicts.left(prepared) : []) {
      const why = hidden && (await shownAddress(hearth, repo, hidden, update))
      if (why) verdicts.refuse(update.name, why)
    }
    const guard = await guardMoves(hearth, repo.id, caller, verdicts.left(prepared))
    for (const objection of guard.objections) verdicts.object(objection)
    if (verdicts.left(prepared).length === 0) return { results: verdicts.results() }
    try {
      await write((tx) => {
        // Between the check and this moment the repository, its rules and its refs may have
        // changed.
        const now = repoById(tx.db, repo.id)
        const parent = now?.parent_id ? repoById(tx.db, now.parent_id) : now
        if (!now || !parent || parent.deleted_at !== null)
          throw new Refusal('not_found', 'the repository is gone')
        if (parent.archived_at !== null)
          throw forbidden('archived', `${repo.full_name} is archived and read-only`)
        for (const update of verdicts.left(prepared)) {
          const why = checkPush(tx.db, { row: now, can: repo.can }, update)
          if (why) verdicts.refuse(update.name, why)
        }
        for (const objection of guard.again(
          tx,
          movable(verdicts, prepared, (update) => moveProblem(tx.db, repo.id, update)),
        ))
          verdicts.object(objection)
        fits()
        const moved = verdicts.left(prepared)
        if (bytes > 0 && moved.length > 0) addSize(tx, parent.id, bytes)
        auditBypass(tx, now, moved)
        moveRefs(tx, repo, moved)
        const names = new Set(moved.map(({ name }) => name))
        const gained = unlooked ? moved.flatMap((update) => update.new ?? []) : []
        if (gained.length > 0)
          tx.enqueue(
            lookForForged,
            { repo_id: repo.id, tips: [...new Set(gained)], hide },
            { delay_ms: LOOK_AFTER_MS },
          )
        const tips = scan.later
          ? scanned.filter(({ name }) => names.has(name)).map(({ tip }) => tip)
          : []
        if (tips.length > 0)
          tx.enqueue(scanPush, { repo_id: repo.id, tips: [...new Set(tips)], hide })
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      verdicts.refuseAll(error.message)
    }
    return { results: verdicts.results() }
  },
})

/** The commits that moves lead to; tags of something else have none. */
async function tipsOf(
  { git }: Hearth,
  store: string,
  updates: readonly PreparedUpdate[],
): Promise<ScannedMove[]> {
  const moves: ScannedMove[] = []
  for (const { name, new: to } of updates) {
    const tip = to === null || branchOf(name) !== null ? to : await git.peel(store, to)
    if (tip !== null) moves.push({ name, tip })
  }
  return moves
}

/**
 * Leaves out what has moved meanwhile. A name that is in the way stays in: the same push may take
 * it away.
 */
function movable(
  verdicts: Verdicts,
  prepared: readonly PreparedUpdate[],
  problemOf: (update: RefUpdate) => Refusal | null,
): PreparedUpdate[] {
  const left = verdicts.left(prepared)
  const goes = new Set(left.filter((update) => update.new === null).map(({ name }) => name))
  for (const update of left) {
    const problem = problemOf(update)
    if (!problem) continue
    const inTheWay = problem.details['ref']
    if (problem.reason === 'already_exists' && typeof inTheWay === 'string' && goes.has(inTheWay))
      continue
    verdicts.refuse(
      update.name,
      problem.reason === 'base_moved' ? 'it has moved since: fetch and try again' : problem.message,
    )
  }
  return verdicts.left(left)
}
