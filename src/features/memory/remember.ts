import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { inRecord, refuseFork, textPointers } from '#features/issues/index.ts'
import { findPull } from '#features/pulls/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { readCitations } from './citations.ts'
import { refuseRepeatedText } from './documents.ts'
import { foldText } from './fold-text.ts'
import { KindInput, PathsInput, PinnedInput, readText, TextInput } from './inputs.ts'
import { findNearlyEqual } from './match-memories.ts'
import { memoryRecord, requireMember } from './memory-record.ts'
import {
  MAX_AGENT_TEXT_CHARS,
  MAX_PER_AGENT_AND_DAY,
  MAX_PER_REPO,
  MAX_PER_WORKSPACE,
  MAX_PINNED,
  RememberedMemory,
  SCOPES,
  type MemoryKind,
  type MemoryScope,
} from './schema.ts'
import {
  countMemories,
  countMemoriesBy,
  findEqualMemory,
  findMemory,
  insertMemory,
  listMemoryRows,
  type CitedPath,
  type MemoryRow,
  type Place,
} from './store.ts'
import { needsReview, pullOfCaller } from './trust.ts'

export const remember = operation({
  name: 'remember',
  summary:
    'Remember one fact, convention, decision or trap for whoever works here next. Project memory needs Write, workspace memory a member. Text that is known already answers the memory that says it.',
  keywords: ['save a memory', 'take a note', 'learned', 'lesson', 'knowledge base'],
  route: 'POST /repos/{owner}/{name}/memory',
  toolset: 'code',
  access: writesRepo('read', { scope: 'memory:write' }),
  input: Type.Object({
    repo: RepoPath,
    text: TextInput,
    scope: Type.Optional(
      OneOf(SCOPES, { description: 'project (this repository, unless given) or workspace.' }),
    ),
    kind: Type.Optional(KindInput),
    pinned: Type.Optional(PinnedInput),
    paths: Type.Optional(PathsInput),
    pull: Type.Optional(Type.Integer({ minimum: 1, description: 'Where it comes from.' })),
  }),
  output: RememberedMemory,
  status: 201,
  existed: ({ existing }) => existing,
  untrusted: inRecord((at, memory) => textPointers(at, memory, 'text')),

  handler: async ({ hearth, repo, caller, write }, { scope = 'project', ...input }) => {
    refuseFork(repo)
    if (scope === 'project') repo.require('write')
    else requireMember(repo, caller)
    if (input.pinned) requirePerson(caller)
    const text = readText(input.text)
    if (caller.kind === 'agent') {
      refuseLongText(text)
      await refuseRepeatedText(hearth, repo, text)
    }
    if (scope === 'workspace' && (input.paths?.length ?? 0) > 0)
      throw invalid('paths', 'only memories of a repository are about files')
    const pull = pullOfMemory(hearth, repo, caller, scope, input.pull)
    const paths = await readCitations(hearth, repo, input.paths ?? [])
    const place: Place =
      scope === 'project' ? { repo_id: repo.id } : { workspace_id: repo.workspace_id }
    const [row, existing] = await write((tx): [MemoryRow, boolean] => {
      requireLive(tx.db, repo.id)
      const known = findKnown(tx, place, caller, text)
      if (known) return [known, true]
      requireBelowLimits(tx, place, caller, input.pinned ?? false)
      const { kind = 'fact', pinned = false } = input
      const waits = caller.kind === 'agent' && needsReview(hearth, repo, caller, scope)
      const made = insert(tx, { place, repo, caller, text, kind, pinned, paths, pull, waits })
      return [made, false]
    })
    return { ...(await memoryRecord(hearth, repo, row)), existing }
  },
})

/** Throws 403 `person_required`: what is pinned is in every prompt. */
export function requirePerson(caller: SignedIn): void {
  if (caller.kind !== 'user') throw forbidden('person_required', 'only a person may pin a memory')
}

/**
 * The pull request that a memory comes from: that of an agent, or the one that is named. Throws 422
 * for a number that is no pull request of the repository.
 */
function pullOfMemory(
  hearth: Hearth,
  repo: RepoGrant,
  caller: SignedIn,
  scope: MemoryScope,
  named: number | undefined,
): number | null {
  const own = pullOfCaller(hearth, caller)
  if (named === undefined || named === own) return own
  if (scope === 'workspace')
    throw invalid('pull', 'only memories of a repository come from a pull request')
  if (caller.kind === 'agent')
    throw invalid(
      'pull',
      'an agent remembers what it learned in its own pull request; leave pull out',
    )
  if (findPull(hearth.db, repo.id, named) === null)
    throw invalid('pull', `#${named} is no pull request of ${repo.full_name}`)
  return named
}

function refuseLongText(text: string): void {
  if (text.length > MAX_AGENT_TEXT_CHARS)
    throw invalid(
      'text',
      `an agent remembers one fact in at most ${MAX_AGENT_TEXT_CHARS} characters; this has ${text.length}`,
    )
}

/** The memory that says the same; for agents also one that nearly does. */
function findKnown(tx: Tx, place: Place, caller: SignedIn, text: string): MemoryRow | null {
  const equal = findEqualMemory(tx.db, place, foldText(text))
  if (equal || caller.kind !== 'agent') return equal
  return findNearlyEqual(listMemoryRows(tx.db, place), text)
}

/** Throws 409 `limit_reached`. */
function requireBelowLimits(tx: Tx, place: Place, caller: SignedIn, pinned: boolean): void {
  const count = countMemories(tx.db, place)
  const [limit, where] =
    'repo_id' in place ? [MAX_PER_REPO, 'repository'] : [MAX_PER_WORKSPACE, 'workspace']
  if (count.all >= limit)
    throw conflict(
      'limit_reached',
      `this ${where} has ${limit} memories, which is the most: forget those that nobody uses`,
      { limit },
    )
  if (pinned) requireBelowPinLimit(count.pinned)
  if (caller.kind !== 'agent') return
  const since = timestamp(tx.now_ms - DAY)
  if (countMemoriesBy(tx.db, caller.id, since) >= MAX_PER_AGENT_AND_DAY)
    throw conflict(
      'limit_reached',
      `an agent remembers at most ${MAX_PER_AGENT_AND_DAY} things a day: keep what would have helped you most`,
      { limit: MAX_PER_AGENT_AND_DAY },
    )
}

/** Throws 409 `limit_reached`. */
export function requireBelowPinLimit(pinned: number): void {
  if (pinned >= MAX_PINNED)
    throw conflict('limit_reached', `${MAX_PINNED} memories are pinned already: unpin one first`, {
      limit: MAX_PINNED,
    })
}

type NewMemory = {
  readonly place: Place
  readonly repo: RepoGrant
  readonly caller: SignedIn
  readonly text: string
  readonly kind: MemoryKind
  readonly pinned: boolean
  readonly paths: readonly CitedPath[]
  readonly pull: number | null
  readonly waits: boolean
}

function insert(tx: Tx, { place, repo, caller, ...memory }: NewMemory): MemoryRow {
  const id = typeId('mem', tx.now_ms)
  insertMemory(tx, {
    id,
    repo_id: 'repo_id' in place ? place.repo_id : null,
    workspace_id: 'workspace_id' in place ? place.workspace_id : null,
    kind: memory.kind,
    text: memory.text,
    folded: foldText(memory.text),
    pinned: memory.pinned ? 1 : 0,
    paths: JSON.stringify(memory.paths),
    author_id: caller.id,
    pull_number: memory.pull,
    needs_review: memory.waits ? 1 : 0,
    reviewed_at: null,
    created_at: tx.now,
    updated_at: tx.now,
  })
  auditMemory(tx, repo, 'memory.added', id)
  const row = findMemory(tx.db, id)
  if (!row) throw new TypeError('a new memory is there')
  return row
}

/** The text is not copied into the audit log, so that forgetting removes it. */
export const auditMemory = (
  tx: Tx,
  repo: Pick<RepoGrant, 'id' | 'workspace_id'>,
  action: 'memory.added' | 'memory.changed' | 'memory.forgotten',
  id: string,
  data: Record<string, unknown> = {},
): void =>
  tx.audit({
    action,
    target: { kind: 'memory', id, name: id },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data,
  })
