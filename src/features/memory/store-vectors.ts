/** The table `memory_vectors`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Place } from './store.ts'

const condition = (place: Place): readonly [sql: string, id: string] =>
  'repo_id' in place
    ? ['m.repo_id = ?1', place.repo_id]
    : ['m.workspace_id = ?1', place.workspace_id]

/** Memories of a place whose text a model has not read yet, the newest first. */
export function listWithoutVector(
  db: Db,
  place: Place,
  model: string,
  limit: number,
): { id: string; text: string; folded: string }[] {
  const [where, id] = condition(place)
  return db.all(
    `SELECT m.id, m.text, m.folded FROM memories m
     LEFT JOIN memory_vectors v ON v.memory_id = m.id AND v.model = ?2 AND v.folded = m.folded
     WHERE ${where} AND v.memory_id IS NULL ORDER BY m.id DESC LIMIT ?3`,
    id,
    model,
    limit,
  )
}

/** The vectors of one model for memories, as far as it has read what they say now. */
export const listVectors = (
  db: Db,
  ids: readonly string[],
  model: string,
): { id: string; folded: string; vector: Int8Array }[] =>
  db
    .all<{ id: string; folded: string; vector: Uint8Array }>(
      `SELECT m.id, m.folded, v.vector FROM json_each(?1) j
       JOIN memories m ON m.id = j.value JOIN memory_vectors v ON v.memory_id = m.id
       WHERE v.model = ?2 AND v.folded = m.folded`,
      JSON.stringify(ids),
      model,
    )
    .map(({ vector, ...row }) => ({
      ...row,
      vector: new Int8Array(vector.buffer, vector.byteOffset, vector.length),
    }))

/** Without effect for a memory that is gone or says something else now. */
export const setVector = (
  tx: Tx,
  row: { memory_id: string; model: string; folded: string; vector: Int8Array },
): void =>
  void tx.db.run(
    `INSERT OR REPLACE INTO memory_vectors (memory_id, model, folded, vector)
     SELECT id, ?2, folded, ?4 FROM memories WHERE id = ?1 AND folded = ?3`,
    row.memory_id,
    row.model,
    row.folded,
    new Uint8Array(row.vector.buffer, row.vector.byteOffset, row.vector.length),
  )
