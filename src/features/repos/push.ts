import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import type { RefUpdate } from '#git'
import { forbidden, Refusal } from '#lib/errors.ts'
import { guardMoves } from './move-guard.ts'
import type { Objection } from './points.ts'
import { knownTips, scanBefore, scanPush } from './push-protection.ts'
import { auditBypass, checkPush } from './push-rules.ts'
import { branchOf } from './ref-names.ts'
import { moveProblem, moveRefs, prepareUpdate, type PreparedUpdate } from './refs.ts'
import { ObjectId } from './schema-code.ts'
import { hiddenFrom, shownAddress } from './shown-addresses.ts'
import { repoById, requireRepo } from './store.ts'

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
    return this.updates.map(({ name }) => ({ name, refused: this.#refused.get(name) ?? null, lines: this.#lines.get(name) ?? [] }))
  }
}

/**
 * Moves the refs of a push whose objects are on disk. Each ref has its own verdict; what is refused does not keep the others,
 * unless the push is atomic. A refusal by a reaction concerns the whole push.
 */
export const push = operation({
  name: 'push',
  summary: 'Push to a repository with git.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    updates: Type.Array(Type.Object({ name: Type.String(), old: Nullable(ObjectId), new: Nullable(ObjectId) })),
    options: Type.Optional(Type.Array(Type.String())),
    atomic: Type.Optional(Type.Boolean()),
  }),
  output: Type.Object({ results: Type.Array(Type.Object({ name: Type.String(), refused: Nullable(Type.String()), lines: Type.Array(Type.String()) })) }),

  handler: async ({ hearth, db, caller, repo, write }, { updates, atomic = false }) => {
    const verdicts = new Verdicts(updates, atomic)
    const names = new Set<string>()
    for (const { name } of updates) {
      if (names.has(name)) verdicts.refuse(name, 'the push names this ref more than once')
      names.add(name)
    }
    const row = requireRepo(db, repo.id)
    for (const update of updates) {
      const why = checkPush(db, { row, can: repo.can }, update)
      if (why) verdicts.refuse(update.name, why)
    }
    const prepared: PreparedUpdate[] = []
    const later: string[] = []
    const hide = knownTips(db, row, updates.map(({ name }) => name))
    for (const update of verdicts.left(updates)) {
      try {
        const ready = await prepareUpdate(hearth, repo, update)
        const tip = ready.new === null ? null : branchOf(ready.name) === null ? await hearth.git.peel(repo.store, ready.new) : ready.new
        if (tip !== null) {
          const { refused, later: again } = await scanBefore(hearth, row, { tips: [tip], hide }, ready.commits)
          if (refused !== null) verdicts.refuse(update.name, refused)
          if (again) later.push(tip)
        }
        prepared.push(ready)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        verdicts.refuse(update.name, error.message)
      }
    }
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
        // Between the check and this moment the repository, its rules and its refs may have changed.
        const now = repoById(tx.db, repo.id)
        const parent = now?.parent_id ? repoById(tx.db, now.parent_id) : now
        if (!now || !parent || parent.deleted_at !== null) throw new Refusal('not_found', 'the repository is gone')
        if (parent.archived_at !== null) throw forbidden('archived', `${repo.full_name} is archived and read-only`)
        for (const update of verdicts.left(prepared)) {
          const why = checkPush(tx.db, { row: now, can: repo.can }, update)
          if (why) verdicts.refuse(update.name, why)
        }
        for (const objection of guard.again(tx, movable(verdicts, prepared, (update) => moveProblem(tx.db, repo.id, update)))) verdicts.object(objection)
        const moved = verdicts.left(prepared)
        auditBypass(tx, now, moved)
        moveRefs(tx, repo, moved)
        if (later.length > 0 && moved.length > 0) tx.enqueue(scanPush, { repo_id: repo.id, tips: [...new Set(later)], hide })
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      verdicts.refuseAll(error.message)
    }
    return { results: verdicts.results() }
  },
})

/** Leaves out what has moved meanwhile. A name that is in the way stays in: the same push may take it away. */
function movable(verdicts: Verdicts, prepared: readonly PreparedUpdate[], problemOf: (update: RefUpdate) => Refusal | null): PreparedUpdate[] {
  const left = verdicts.left(prepared)
  const goes = new Set(left.filter((update) => update.new === null).map(({ name }) => name))
  for (const update of left) {
    const problem = problemOf(update)
    if (!problem) continue
    const inTheWay = problem.details['ref']
    if (problem.reason === 'already_exists' && typeof inTheWay === 'string' && goes.has(inTheWay)) continue
    verdicts.refuse(update.name, problem.reason === 'base_moved' ? 'it has moved since: fetch and try again' : problem.message)
  }
  return verdicts.left(left)
}
