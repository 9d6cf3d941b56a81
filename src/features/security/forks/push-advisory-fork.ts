import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  branchOf,
  COLLISION_SCAN_DELAY_MS,
  enqueueMaintenance,
  findExposedAddress,
  findSha1Collisions,
  privateAddressesOf,
  refNameProblem,
  requireLive,
  requireRepo,
  scanMoves,
  shortNameProblem,
} from '#features/repos/index.ts'
import { PushOptions, PushOutput, RefUpdates } from '#features/repos/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import type { Oid, RefUpdate } from '#git'
import { conflict, Refusal } from '#lib/errors.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { requireFork } from './fork.ts'
import {
  addForkSize,
  findBlockingRef,
  listForkRefs,
  readForkRef,
  setForkPushed,
  setForkRef,
  type ForkRow,
} from './store-forks.ts'

const MAX_BRANCHES = 100

/** Why refs are refused, by name: one line, and lines for the terminal. */
class Refusals {
  readonly #found = new Map<string, { reason: string; lines: readonly string[] }>()
  constructor(
    private readonly updates: readonly RefUpdate[],
    private readonly atomic: boolean,
  ) {}

  add(name: string, reason: string, lines: readonly string[] = []): void {
    if (!this.#found.has(name)) this.#found.set(name, { reason, lines })
  }

  addAll(reason: string): void {
    for (const { name } of this.updates) this.add(name, reason)
  }

  remaining(): readonly RefUpdate[] {
    if (this.atomic && this.#found.size > 0)
      this.addAll('the push is atomic and another ref was refused')
    return this.updates.filter(({ name }) => !this.#found.has(name))
  }

  results() {
    return this.updates.map(({ name }) => ({
      name,
      refused: this.#found.get(name)?.reason ?? null,
      lines: [...(this.#found.get(name)?.lines ?? [])],
    }))
  }
}

/** Why a command is refused, whatever it brings; null when it is not. */
function commandProblem(db: Db, fork: ForkRow, { name, old, new: to }: RefUpdate): string | null {
  const branch = branchOf(name)
  if (branch === null) return 'a private fork takes branches only, no tags or other refs'
  if (branch === fork.base_branch)
    return `${branch} follows the repository: push another branch, and merge it on the page of the advisory`
  if (readForkRef(db, fork.id, name) !== old) return 'it has moved since: fetch and try again'
  const problem = refNameProblem(name) ?? (to === null ? null : shortNameProblem('heads', branch))
  return problem === null ? null : `this name ${problem}`
}

type Pusher = { readonly hearth: Hearth; readonly caller: SignedIn; readonly repo: RepoGrant }

/** Runs the checks that read git. The rules are those of pushes to the repository. */
async function checkCommits(
  { hearth, caller, repo }: Pusher,
  fork: ForkRow,
  refusals: Refusals,
): Promise<void> {
  const { git, db } = hearth
  const known = listForkRefs(db, fork.id).map(({ oid }) => oid)
  const moves = refusals
    .remaining()
    .flatMap(({ name, old, new: to }) => (to === null ? [] : [{ name, old, new: to }]))
  if (moves.length === 0) return
  const facts = await git.summarizeRefMoves(fork.store, moves, null)
  for (const [at, { name, new: to }] of moves.entries())
    if (facts[at]?.type !== 'commit')
      refusals.add(name, `${name} cannot point at ${to}, which is not a commit`)
  const commits = refusals.remaining().flatMap(({ name, new: tip }) => (tip ? [{ name, tip }] : []))
  // Bypasses and alerts would tell of the fork, so a secret has to leave the commits.
  const row = { ...requireRepo(db, repo.id), store: fork.store }
  const services = { hearth, caller, offersBypass: false }
  const { refused } = await scanMoves(services, row, commits, known)
  for (const [name, { reason, lines }] of refused) refusals.add(name, reason, lines)
  const hidden = privateAddressesOf(hearth, caller)
  for (const update of hidden ? refusals.remaining() : []) {
    const place = { id: repo.id, store: fork.store, parent_id: null }
    const problem = hidden && (await findExposedAddress(hearth, place, hidden, update, known))
    if (problem) refusals.add(update.name, problem)
  }
}

/**
 * Moves the refs that are not refused. Everything that may have changed is checked again. Throws a
 * Refusal when none may move.
 */
function applyPush(
  tx: Tx,
  { repo, id, bytes }: { repo: RepoGrant; id: string; bytes: number },
  refusals: Refusals,
): readonly RefUpdate[] {
  requireLive(tx.db, repo.id)
  const fork = requireOpenFork(tx.db, repo, id)
  for (const update of refusals.remaining()) {
    const problem = commandProblem(tx.db, fork, update)
    if (problem) refusals.add(update.name, problem)
  }
  const moved = refusals.remaining()
  if (moved.length === 0) return moved
  // Deletions first, so that one push can replace a branch a by a/b.
  for (const { name, new: to } of moved) if (to === null) setForkRef(tx, fork.id, name, null)
  for (const { name, new: to } of moved) if (to !== null) createOrMove(tx, fork, name, to)
  if (listForkRefs(tx.db, fork.id).length > MAX_BRANCHES)
    throw conflict('limit_reached', `a private fork has at most ${MAX_BRANCHES} branches`)
  if (bytes > 0) requireQuota(tx.hearth, tx.db, repo.workspace_id, 'repos_bytes', bytes)
  addForkSize(tx, fork.id, bytes)
  setForkPushed(tx, fork.id)
  enqueueMaintenance(tx, fork.store)
  return moved
}

/** A name can be a branch or a folder of branches, not both, because git stores refs as files. */
function createOrMove(tx: Tx, fork: ForkRow, name: string, to: Oid): void {
  const blocking = findBlockingRef(tx.db, fork.id, name)
  if (blocking !== null)
    throw conflict('already_exists', `${name} cannot be made while ${blocking} exists`)
  setForkRef(tx, fork.id, name, to)
}

/** Throws 409 once the advisory is published. */
function requireOpenFork(db: Db, repo: RepoGrant, id: string): ForkRow {
  const fork = requireFork(db, repo, id)
  if (fork.remove_at !== null)
    throw conflict('released', 'the advisory is published: push to the repository itself')
  return fork
}

export const pushAdvisoryFork = operation({
  name: 'push_advisory_fork',
  summary: 'Push to the private fork of an advisory with git.',
  route: null,
  access: writesRepo('read', {
    scope: 'code:write',
    person: true,
    securityManager: true,
    advisoryWork: true,
  }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    updates: RefUpdates,
    options: PushOptions,
    atomic: Type.Optional(Type.Boolean()),
    unscanned: Type.Optional(Type.Boolean()),
    bytes: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  output: PushOutput,

  handler: async (
    { hearth, db, caller, repo, write },
    { id, updates, atomic = false, bytes = 0, unscanned = false },
  ) => {
    const refusals = new Refusals(updates, atomic)
    try {
      const fork = requireOpenFork(db, repo, id)
      if (bytes > 0) requireQuota(hearth, db, repo.workspace_id, 'repos_bytes', bytes)
      if (new Set(updates.map(({ name }) => name)).size < updates.length)
        refusals.addAll('the push names a ref more than once')
      for (const update of updates) {
        const problem = commandProblem(db, fork, update)
        if (problem) refusals.add(update.name, problem)
      }
      await checkCommits({ hearth, caller, repo }, fork, refusals)
      if (refusals.remaining().length === 0) return { results: refusals.results() }
      await write((tx) => {
        const moved = applyPush(tx, { repo, id, bytes }, refusals)
        const tips = unscanned ? moved.flatMap((update) => update.new ?? []) : []
        if (tips.length > 0)
          tx.enqueue(
            findSha1Collisions,
            { repo_id: repo.id, store: fork.store, tips, hide: [] },
            { delay_ms: COLLISION_SCAN_DELAY_MS },
          )
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.addAll(error.message)
    }
    return { results: refusals.results() }
  },
})
