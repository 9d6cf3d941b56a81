import { readsRepoAs, type RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import {
  preloadAuthors,
  refuseFork,
  textPointers,
  untrustedAuthors,
  type UntrustedScope,
} from '#features/issues/index.ts'
import { addSimilar, similarTo } from './embeddings.ts'
import { matchMemories } from './match-memories.ts'
import { isMember, memoryRecords } from './memory-record.ts'
import { KINDS, Memories, type Memory, type MemoryKind } from './schema.ts'
import { listMemoriesOfPull, listMemoryRows, type MemoryRow, type Place } from './store.ts'
import { isWaiting } from './trust.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

export const recall = operation({
  name: 'recall',
  summary:
    'List what is remembered about a repository and its workspace: pinned first, then the best match, then the newest. Needs Read; memories of the workspace are for its members. Agents do not get those that wait for a person.',
  keywords: ['search memories', 'what do we know', 'conventions', 'lessons', 'knowledge base'],
  route: 'GET /repos/{owner}/{name}/memory',
  toolset: 'code',
  access: readsRepoAs('read', { scope: 'memory:read' }),
  input: Type.Object({
    repo: RepoPath,
    query: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Words that all have to be in it (the last may be cut), or what it means.',
      }),
    ),
    kind: Type.Optional(OneOf(KINDS)),
    waiting: Type.Optional(
      Type.Boolean({ description: 'Only those that wait for a person, or only the others.' }),
    ),
    pull: Type.Optional(Type.Integer({ minimum: 1, description: 'Only those from it.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `How many of each level, ${DEFAULT_LIMIT} unless given.`,
      }),
    ),
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'The page of each level, from 1.' }),
    ),
  }),
  output: Memories,
  untrusted: untrustedMemories,

  handler: async (
    { hearth, repo, caller, now_ms },
    { query, limit = DEFAULT_LIMIT, page = 1, ...filter },
  ) => {
    refuseFork(repo)
    const own: Place = { repo_id: repo.id }
    const shared: Place | null = isMember(repo, caller) ? { workspace_id: repo.workspace_id } : null
    const findSimilar = await similarTo(
      hearth,
      { workspace_id: repo.workspace_id, actor_id: caller.id },
      // Only members use the model of the workspace, which pays for it.
      shared === null ? '' : (query ?? ''),
    )
    const level = async (place: Place): Promise<readonly MemoryRow[]> => {
      const rows = listVisible({ hearth, repo, caller }, place, filter)
      return addSimilar(matchMemories(rows, query, now_ms), await findSimilar(place, rows))
    }
    const project = await level(own)
    const workspace = shared === null ? [] : await level(shared)
    const shown = (rows: readonly MemoryRow[]) =>
      memoryRecords(hearth, repo, rows.slice((page - 1) * limit, page * limit))
    return {
      project: await shown(project),
      workspace: await shown(workspace),
      project_count: project.length,
      workspace_count: workspace.length,
    }
  },
})

type Filter = {
  readonly kind?: MemoryKind
  readonly waiting?: boolean
  readonly pull?: number
}

/** Those that the caller gets: agents and workspace tokens not those that wait for a person. */
export function listVisible(
  { hearth, repo, caller }: { hearth: Hearth; repo: RepoGrant; caller: Caller },
  place: Place,
  { kind, waiting, pull }: Filter = {},
): MemoryRow[] {
  const ofPull = pull === undefined ? null : listMemoriesOfPull(hearth.db, repo.id, pull)
  return listMemoryRows(hearth.db, place).filter((row) => {
    if (ofPull !== null && !ofPull.has(row.id)) return false
    if (kind !== undefined && row.kind !== kind) return false
    const waits = isWaiting(hearth, repo.workspace_id, row)
    return (caller.kind === 'user' || !waits) && (waiting === undefined || waits === waiting)
  })
}

export function untrustedMemories(
  { project, workspace }: Pick<Memories, 'project' | 'workspace'>,
  reading: UntrustedScope,
): string[] {
  preloadAuthors(
    reading,
    [...project, ...workspace].map(({ author }) => author),
  )
  const distrusted = untrustedAuthors(reading)
  const pointers = (at: string, memories: readonly Memory[]): string[] =>
    memories.flatMap((memory, index) =>
      memory.waiting || distrusted(memory.author)
        ? textPointers(`${at}/${index}`, memory, 'text')
        : [],
    )
  return [...pointers('/project', project), ...pointers('/workspace', workspace)]
}
