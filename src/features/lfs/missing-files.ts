/**
 * Refuses pushes whose pointers name files that were not uploaded: whoever clones could not check
 * them out. A repository whose `.lfsconfig` names another server keeps its files there.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import type { AddedPointers, Oid } from '#git'
import {
  branchOf,
  branchRef,
  readRef,
  repoById,
  type moveRules,
  type RepoRow,
  type RequestedMoves,
  type RuleViolation,
} from '#features/repos/index.ts'
import { familyOf } from './family.ts'
import { findObject, setUnusedSince } from './store-objects.ts'

type Moves = Parameters<(typeof moveRules)['with']>[0]
type Update = RequestedMoves['updates'][number]
type Pointer = AddedPointers['pointers'][number]

/** What is searched while the client waits. Beyond it, a missing file is not noticed. */
const SEARCH_LIMITS = { commits: 10_000, pointers: 20_000 }
/** For at most this many refs it is determined which of them name missing files. */
const MAX_TRACED_UPDATES = 20
const MAX_NAMED_FILES = 10
const MAX_CONFIG_BYTES = 64 * 1024

/** Commits whose pointers were checked before. */
const hiddenFor = (hearth: Hearth, row: RepoRow, updates: readonly Update[]): Oid[] => {
  const parent = row.parent_id === null ? row : (repoById(hearth.db, row.parent_id) ?? row)
  const trunks = [row, parent].map((repo) =>
    readRef(hearth.db, repo.id, branchRef(repo.default_branch)),
  )
  const olds = updates.map(({ name, old }) => (branchOf(name) === null ? null : old))
  return [...new Set([...trunks, ...olds])].filter((oid) => oid !== null)
}

type Moved = { readonly update: Update; readonly tip: Oid }

/**
 * The commits that the updates lead to. A branch names one, which was checked when its move was
 * prepared. A tag of another object type has none.
 */
async function listTips(
  hearth: Hearth,
  store: string,
  updates: readonly Update[],
): Promise<Moved[]> {
  const moved: Moved[] = []
  for (const update of updates) {
    if (update.new === null) continue
    const isBranch = branchOf(update.name) !== null
    const tip = isBranch ? update.new : await hearth.git.peelToCommit(store, update.new)
    if (tip !== null) moved.push({ update, tip })
  }
  return moved
}

/** Whether the files of a commit are on the server that its `.lfsconfig` names (git-lfs-config). */
async function isKeptElsewhere({ git }: Hearth, store: string, tip: Oid): Promise<boolean> {
  const entry = await git.findEntry(store, tip, '.lfsconfig')
  if (entry?.type !== 'file') return false
  const config = await git.readBlob(store, entry.oid, MAX_CONFIG_BYTES)
  if (!config) return false
  const lines = new TextDecoder().decode(config.data).split('\n')
  let isLfs = false
  for (const line of lines) {
    const text = line.trim().toLowerCase()
    if (text.startsWith('[')) isLfs = text.startsWith('[lfs]') || text.startsWith('[remote ')
    else if (isLfs && /^(url|lfsurl)[ \t]*=/.test(text)) return true
  }
  return false
}

const plural = (count: number): string =>
  count === 1 ? '1 large file of this push is' : `${count} large files of this push are`

const shown = ({ path, oid }: Pointer): string =>
  `${path.replace(/[\x00-\x1f\x7f]/g, '?').slice(0, 60)} (${oid.slice(0, 12)})`

function violation(ref: string, missing: readonly Pointer[]): RuleViolation {
  const names = missing.slice(0, MAX_NAMED_FILES).map(shown).join(', ')
  const rest =
    missing.length > MAX_NAMED_FILES ? ` and ${missing.length - MAX_NAMED_FILES} more` : ''
  const message = `${plural(missing.length)} missing here: ${names}${rest}. Run git lfs push --all <remote>, then push again`
  return {
    ref,
    message,
    line: message,
    details: {
      type: 'missing_large_files',
      files: missing.slice(0, MAX_NAMED_FILES).map(({ path, oid }) => ({ path, oid })),
      message,
    },
  }
}

class PushedFiles {
  readonly #checked: Pointer[] = []

  constructor(
    private readonly hearth: Hearth,
    private readonly row: RepoRow,
  ) {}

  get family(): string {
    return familyOf(this.row)
  }

  /** The violations of the refs that lead to missing files. */
  async check(updates: readonly Update[]): Promise<RuleViolation[]> {
    const { hearth, row } = this
    const hide = hiddenFor(hearth, row, updates)
    const { moved, found } = await this.#findOwn(updates, hide)
    this.#checked.push(...found)
    const missing = this.#missing(found)
    if (missing.length === 0) return []
    if (moved.length > MAX_TRACED_UPDATES)
      return moved.map(({ update }) => violation(update.name, missing))
    const violations: RuleViolation[] = []
    for (const one of moved) {
      const own = moved.length === 1 ? missing : this.#missing(await this.#find([one], hide))
      if (own.length > 0) violations.push(violation(one.update.name, own))
    }
    return violations
  }

  /** Files may have been collected since. Those that are there stay from now on. */
  recheck(tx: Tx, remaining: readonly Update[]): RuleViolation[] {
    const names = remaining.filter((update) => update.new !== null).map(({ name }) => name)
    if (names.length === 0) return []
    const gone: Pointer[] = []
    for (const pointer of this.#checked) {
      const object = findObject(tx.db, this.family, pointer.oid)
      if (object === null) gone.push(pointer)
      else if (object.unused_since !== null) setUnusedSince(tx, this.family, pointer.oid, null)
    }
    return gone.length === 0 ? [] : names.map((name) => violation(name, gone))
  }

  /** The pointers that a push adds, and the moves that lead to them, without those of other servers. */
  async #findOwn(
    updates: readonly Update[],
    hide: readonly Oid[],
  ): Promise<{ moved: readonly Moved[]; found: readonly Pointer[] }> {
    const { hearth, row } = this
    const all = await listTips(hearth, row.store, updates)
    const found = await this.#find(all, hide)
    // Most pushes add no pointer, so that nobody needs to know where the files are.
    if (found.length === 0) return { moved: all, found }
    const moved: Moved[] = []
    for (const one of all) if (!(await isKeptElsewhere(hearth, row.store, one.tip))) moved.push(one)
    return { moved, found: moved.length === all.length ? found : await this.#find(moved, hide) }
  }

  async #find(moved: readonly Moved[], hide: readonly Oid[]): Promise<readonly Pointer[]> {
    if (moved.length === 0) return []
    const tips = [...new Set(moved.map(({ tip }) => tip))]
    const { pointers } = await this.hearth.git.findAddedPointers(this.row.store, {
      tips,
      hide,
      limits: SEARCH_LIMITS,
    })
    return pointers
  }

  #missing(pointers: readonly Pointer[]): Pointer[] {
    return pointers.filter(({ oid }) => findObject(this.hearth.db, this.family, oid) === null)
  }
}

export const missingFiles: Moves = {
  ask: async (hearth, { row, updates }) => {
    const files = new PushedFiles(hearth, row)
    const violations = await files.check(updates)
    const refused = new Set(violations.map(({ ref }) => ref))
    return {
      violations,
      // Files of refused refs are missing; the remaining refs were found to have theirs.
      recheck: (tx, remaining) => (refused.size > 0 ? [] : files.recheck(tx, remaining)),
    }
  },
  keeps: () => false,
}
