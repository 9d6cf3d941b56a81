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
/** Models have up to 4,096 values; the vectors of a full workspace are then 12 MiB. */
const MAX_VALUES = 4_096
const SCALE = 127
/** Texts about the same thing are nearer than this in the models of today. */
const MIN_SIMILARITY = 0.45
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
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum / (SCALE * SCALE)
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

/** Adds to the memories that have the words of a query those that mean nearly the same. */
export type AddSimilar = (
  place: Place,
  matches: readonly MemoryRow[],
  all: readonly MemoryRow[],
) => readonly MemoryRow[]

const addNothing: AddSimilar = (_, matches) => matches

/** Asks the model once for a query. Memories that it has not read yet are queued for it. */
export async function similarTo(
  hearth: Hearth,
  who: { readonly workspace_id: string; readonly actor_id: string },
  query: string,
  places: readonly Place[],
): Promise<AddSimilar> {
  const embedder = query.trim() === '' ? null : embedderOf(hearth, who.workspace_id)
  if (embedder === null) return addNothing
  await queueMissing(hearth, embedder, places)
  const wanted = await embedQuery(hearth, embedder, who, query)
  if (wanted === null) return addNothing
  return (place, matches, all) => {
    const vectors = listVectors(hearth.db, place, embedder.model)
    const matched = new Set(matches.map(({ id }) => id))
    const similar = all
      .flatMap((row) => {
        const vector = matched.has(row.id) ? undefined : vectors.get(row.id)
        const score = vector === undefined ? 0 : similarity(wanted, vector)
        return score >= MIN_SIMILARITY ? [{ row, score }] : []
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_SIMILAR)
    return [...matches, ...similar.map(({ row }) => row)]
  }
}

async function queueMissing(
  hearth: Hearth,
  { model }: Embedder,
  places: readonly Place[],
): Promise<void> {
  const missing = places.filter((place) => listWithoutVector(hearth.db, place, model, 1).length > 0)
  if (missing.length > 0)
    await writeAs(hearth, null, (tx) =>
      missing.forEach(
        (place) => void tx.enqueue(embedMemories, place, { key: JSON.stringify(place) }),
      ),
    )
}

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
