import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type, type Static } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { inRecord, refuseFork, textPointers } from '#features/issues/index.ts'
import { conflict, invalid, Refusal } from '#lib/errors.ts'
import { readCitations } from './citations.ts'
import { foldText } from './fold-text.ts'
import { KindInput, PathsInput, PinnedInput, readText, TextInput } from './inputs.ts'
import { memoryRecord, placeOf, requireMember, requireMemory } from './memory-record.ts'
import { auditMemory, requirePerson, requireBelowPinLimit } from './remember.ts'
import { MAX_AGENT_TEXT_CHARS, Memory } from './schema.ts'
import { countMemories, findEqualMemory, findMemory, setMemory, type CitedPath } from './store.ts'

const Input = Type.Object({
  repo: RepoPath,
  id: Id('mem'),
  text: Type.Optional(TextInput),
  kind: Type.Optional(KindInput),
  pinned: Type.Optional(PinnedInput),
  paths: Type.Optional(PathsInput),
  reviewed: Type.Optional(
    Type.Boolean({
      description: 'True: a person has read it, so agents get it from now on. People only.',
    }),
  ),
})

type Change = Omit<Static<typeof Input>, 'repo' | 'id' | 'paths'> & {
  readonly paths: readonly CitedPath[] | null
}

export const updateMemory = operation({
  name: 'update_memory',
  summary:
    'Change the text, kind or files of a memory, pin it, or let agents use one that waits; give at least one. Project memory needs Write, workspace memory a member; pinning and reviewing are for people.',
  keywords: ['edit a memory', 'pin a memory', 'approve a memory', 'correct a note'],
  route: 'PATCH /repos/{owner}/{name}/memory/{id}',
  toolset: 'code',
  access: writesRepo('read', { scope: 'memory:write' }),
  input: Input,
  output: Memory,
  annotations: { idempotent: true },
  untrusted: inRecord((at, memory) => textPointers(at, memory, 'text')),

  handler: async ({ hearth, repo, caller, write }, { id, repo: _, paths, ...input }) => {
    refuseFork(repo)
    const before = requireMemory(hearth, repo, caller, id)
    if (before.repo_id === null) requireMember(repo, caller)
    else repo.require('write')
    if (paths === undefined && Object.values(input).every((value) => value === undefined))
      throw new Refusal('invalid', 'give at least one of text, kind, pinned, paths and reviewed')
    if (input.pinned !== undefined || input.reviewed !== undefined) requirePerson(caller)
    if (before.repo_id === null && (paths?.length ?? 0) > 0)
      throw invalid('paths', 'only memories of a repository are about files')
    const text = input.text === undefined ? undefined : readText(input.text)
    if (caller.kind === 'agent' && (text?.length ?? 0) > MAX_AGENT_TEXT_CHARS)
      throw invalid(
        'text',
        `an agent remembers one fact in at most ${MAX_AGENT_TEXT_CHARS} characters`,
      )
    const cited = paths === undefined ? null : await readCitations(hearth, repo, paths)
    await write((tx) => change(tx, repo, caller, id, { ...input, text, paths: cited }))
    return memoryRecord(hearth, repo, requireMemory(hearth, repo, caller, id))
  },
})

function change(
  tx: Tx,
  repo: RepoGrant,
  caller: SignedIn,
  id: string,
  { text, kind, pinned, paths, reviewed }: Change,
): null {
  const before = requireMemory(tx.hearth, repo, caller, id)
  const place = placeOf(before)
  if (text !== undefined) {
    const equal = findEqualMemory(tx.db, place, foldText(text))
    if (equal && equal.id !== id)
      throw conflict('already_exists', 'another memory says this already', { id: equal.id })
  }
  if (pinned && before.pinned === 0) requireBelowPinLimit(countMemories(tx.db, place).pinned)
  setMemory(tx, {
    id,
    kind: kind ?? before.kind,
    text: text ?? before.text,
    folded: text === undefined ? before.folded : foldText(text),
    pinned: pinned === undefined ? before.pinned : pinned ? 1 : 0,
    paths: paths === null ? before.paths : JSON.stringify(paths),
    reviewed_at: reviewedAt(tx, caller, before.reviewed_at, { text, pinned, reviewed }),
  })
  const after = findMemory(tx.db, id)
  const changed = (['kind', 'text', 'pinned', 'paths', 'reviewed_at'] as const).filter(
    (field) => after?.[field] !== before[field],
  )
  if (changed.length > 0) auditMemory(tx, repo, 'memory.changed', id, { changed })
  return null
}

/** A person who pins or rewrites a memory has read it. What an agent rewrites has to be read anew. */
function reviewedAt(
  tx: Tx,
  caller: SignedIn,
  before: Tx['now'] | null,
  { text, pinned, reviewed }: Pick<Change, 'text' | 'pinned' | 'reviewed'>,
): Tx['now'] | null {
  if (caller.kind !== 'user') return text === undefined ? before : null
  if (reviewed === false) return null
  return reviewed || pinned || text !== undefined ? (before ?? tx.now) : before
}
