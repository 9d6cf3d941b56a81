/**
 * Finds memories that mean what a query means in other words, where the workspace has a model for
 * embeddings. It adds to the search by words, and nothing needs it: without a model, and when the
 * model fails, memories are found by words alone.
 */
import { extensionPoint } from '#core/extension-points.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { cache } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { SECOND } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { MemoryRow, Place } from './store.ts'
import { listVectors, listWithoutVector, setVector } from './store-vectors.ts'

export type EmbeddingRequest = {
  readonly workspace_id: string
  /** Who pays: whoever asks, or the workspace. */
  readonly actor_id: string
  readonly texts: readonly string[]
  readonly signal: AbortSignal
}

/** A model for embeddings. `embed` answers null when the model fails or may cost no more. */
export type Embedder = {
  readonly model: string
  readonly embed: (request: EmbeddingRequest) => Promise<readonly (readonly number[])[] | null>
}

/** The embedder of a workspace; null where no model is set for the task. */
export const embedders =
  extensionPoint<(hearth: Hearth, workspace_id: string) => Embedder | null>('memory.embedders')

const embedderOf = (hearth: Hearth, workspace_id: string): Embedder | null =>
  embedders
    .all(hearth)
    .map((find) => find(hearth, workspace_id))
    .find((found) => found !== null) ?? null

const MAX_QUERY_MS = 3 * SECOND
const MAX_EMBEDDING_MS = 60 * SECOND
const BATCH = 64
/** Models have up to 4,096 values; the vectors of a full workspace and repository are then 12 MiB. */
const MAX_VALUES = 4_096
const MAX_CACHE_BYTES = 16 * 1024 ** 2
/** Memories that are compared in one turn of the event loop: half a megabyte at most. */
const ROWS_A_TURN = 128
/** Of a query. Models read a few hundred words, and what a text is about comes first. */
const MAX_QUERY_CHARS = 2_000
const SCALE = 127
/**
 * How near texts about the same thing are depends on the model: in some all texts are nearer than
 * 0.7. So a memory has to stand out among the others, by so many standard deviations, and be no
 * nearer to a right angle than `MIN_SIMILARITY`. all-MiniLM-L6-v2 then finds 17 of 20 memories by
 * questions without their words, and nothing for five questions about other things.
 */
const MIN_DEVIATIONS = 1.5
const MIN_SIMILARITY = 0.25
/** Among fewer memories nothing can stand out. */
const MIN_SAMPLE = 8
const MIN_SIMILARITY_AMONG_FEW = 0.45
/** How many are added to those that have the words. */
const MAX_SIMILAR = 10

/** A vector of length 127 in eight bits a value; null for one that is empty, too long or zero. */
function quantize(values: readonly number[]): Int8Array | null {
  if (values.length === 0 || values.length > MAX_VALUES) return null
  const length = Math.hypot(...values)
  if (!Number.isFinite(length) || length === 0) return null
  return Int8Array.from(values, (value) => Math.round((value / length) * SCALE))
}

/** The cosine of the angle between two vectors; 0 for those of different models. */
function similarity(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum / (SCALE * SCALE)
}

/** Of memories, by model and id. One that says something else now is read again. */
const memoryVectors = cache<{ readonly folded: string; readonly vector: Int8Array }>(
  'memory-vectors',
  {
    maxSize: MAX_CACHE_BYTES,
    sizeOf: ({ folded, vector }) => vector.length + 2 * folded.length + 500,
  },
)

/** The vectors of memories by their ids, as far as the model has read what they say. */
function vectorsOf(
  hearth: Hearth,
  rows: readonly MemoryRow[],
  model: string,
): ReadonlyMap<string, Int8Array> {
  const known = memoryVectors(hearth)
  const keyOf = (id: string): string => `${model} ${id}`
  const found = new Map<string, Int8Array>()
  const missing = rows.filter(({ id, folded }) => {
    const before = known.get(keyOf(id))
    if (before?.folded !== folded) return true
    found.set(id, before.vector)
    return false
  })
  if (missing.length === 0) return found
  const ids = missing.map(({ id }) => id)
  for (const { id, folded, vector } of listVectors(hearth.db, ids, model)) {
    known.set(keyOf(id), { folded, vector })
    found.set(id, vector)
  }
  return found
}

/** Of the last queries, because pages and agents repeat them. */
const queryVectors = cache<Int8Array>('memory-query-vectors', {
  maxSize: 1024 ** 2,
  sizeOf: ({ length }) => length + 500,
})

async function embedQuery(
  hearth: Hearth,
  embedder: Embedder,
  { workspace_id, actor_id }: Pick<EmbeddingRequest, 'workspace_id' | 'actor_id'>,
  query: string,
): Promise<Int8Array | null> {
  const known = queryVectors(hearth)
  const key = JSON.stringify([workspace_id, embedder.model, query])
  const before = known.get(key)
  if (before) return before
  const signal = AbortSignal.timeout(MAX_QUERY_MS)
  const [values] = (await embedder.embed({ workspace_id, actor_id, texts: [query], signal })) ?? []
  const vector = values === undefined ? null : quantize(values)
  if (vector === null) return null
  known.set(key, vector)
  return vector
}

/** The score from which a memory means nearly the same, among those of its place. */
function minimumScore(scores: readonly number[]): number {
  if (scores.length < MIN_SAMPLE) return MIN_SIMILARITY_AMONG_FEW
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length
  return Math.max(MIN_SIMILARITY, mean + MIN_DEVIATIONS * Math.sqrt(variance))
}

export type Similar = { readonly row: MemoryRow; readonly score: number }

/** Those of the memories of a place that mean nearly the same as a query, the nearest first. */
export type FindSimilar = (place: Place, rows: readonly MemoryRow[]) => Promise<readonly Similar[]>

const findNothing: FindSimilar = () => Promise.resolve([])

/**
 * Asks the model once for a query, three seconds at most. Memories that it has not read yet are
 * queued for it.
 */
export async function similarTo(
  hearth: Hearth,
  who: { readonly workspace_id: string; readonly actor_id: string },
  query: string,
): Promise<FindSimilar> {
  const embedder = query.trim() === '' ? null : embedderOf(hearth, who.workspace_id)
  if (embedder === null) return findNothing
  const wanted = await embedQuery(hearth, embedder, who, query.slice(0, MAX_QUERY_CHARS))
  return async (place, rows) => {
    if (wanted === null) return []
    const scored: Similar[] = []
    let isComplete = true
    for (let at = 0; at < rows.length; at += ROWS_A_TURN) {
      const part = rows.slice(at, at + ROWS_A_TURN)
      const vectors = vectorsOf(hearth, part, embedder.model)
      isComplete &&= vectors.size === part.length
      for (const row of part) {
        const vector = vectors.get(row.id)
        if (vector !== undefined) scored.push({ row, score: similarity(wanted, vector) })
      }
      await nextTurn()
    }
    if (!isComplete) await queueEmbedding(hearth, place)
    const least = minimumScore(scored.map(({ score }) => score))
    return scored.filter(({ score }) => score >= least).sort((a, b) => b.score - a.score)
  }
}

/** The matches of a query by words, and then what means nearly the same. */
export function addSimilar(
  matches: readonly MemoryRow[],
  similar: readonly Similar[],
): readonly MemoryRow[] {
  const matched = new Set(matches.map(({ id }) => id))
  const added = similar.filter(({ row }) => !matched.has(row.id)).slice(0, MAX_SIMILAR)
  return [...matches, ...added.map(({ row }) => row)]
}

const queueEmbedding = (hearth: Hearth, place: Place): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    tx.enqueue(embedMemories, place, { key: JSON.stringify(place) })
  })

/** Has the model read the memories of a place, paid by the workspace. */
export const embedMemories = job<Place>({
  kind: 'embed_memories',
  run: async ({ hearth, signal }, place) => {
    const workspace_id =
      'repo_id' in place ? repoById(hearth.db, place.repo_id)?.workspace_id : place.workspace_id
    if (workspace_id === undefined) return
    for (;;) {
      const embedder = embedderOf(hearth, workspace_id)
      if (embedder === null || signal.aborted) return
      const { model } = embedder
      const rows = listWithoutVector(hearth.db, place, model, BATCH)
      if (rows.length === 0) return
      const vectors = await embedder.embed({
        workspace_id,
        actor_id: workspace_id,
        texts: rows.map(({ text }) => text),
        signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_EMBEDDING_MS)]),
      })
      const made = rows.flatMap(({ id, folded }, at) => {
        const vector = quantize(vectors?.[at] ?? [])
        return vector === null ? [] : [{ memory_id: id, model, folded, vector }]
      })
      // A model that fails is asked again by the next search.
      if (made.length < rows.length) return
      await writeAs(hearth, null, (tx) => made.forEach((row) => setVector(tx, row)))
    }
  },
})
