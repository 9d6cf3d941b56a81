/** The memories that an agent is given when it begins to work. */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorsOf } from '#features/accounts/index.ts'
import { citedPaths } from './citations.ts'
import { similarTo, type Similar } from './embeddings.ts'
import { matchMemories, nearestMemories } from './match-memories.ts'
import { addUses, listMemoryRows, type MemoryRow, type Place } from './store.ts'
import { isWaiting } from './trust.ts'

/** How many are chosen by the words and the meaning of the task; pinned ones are given besides. */
const MAX_NEAREST = 8
/** About 1,700 tokens. */
const MAX_PROMPT_CHARS = 6_000
/** How little the first places of a ranking count before the others (reciprocal rank fusion). */
const RANK_OFFSET = 60

type Home = { readonly id: string; readonly workspace_id: string }

const placesOf = ({ id, workspace_id }: Home): readonly Place[] => [
  { repo_id: id },
  { workspace_id },
]

/** Those that wait for a person are left out. */
const usableRows = (hearth: Hearth, repo: Home, place: Place): MemoryRow[] =>
  listMemoryRows(hearth.db, place).filter((row) => !isWaiting(hearth, repo.workspace_id, row))

/**
 * Ids of the memories that mean nearly the same as the text of a task, the nearest first; none
 * without a model for embeddings, or when that does not answer within three seconds. The agent pays.
 */
export async function findSimilarMemories(
  hearth: Hearth,
  repo: Home,
  task: string,
  agent_id: string,
): Promise<readonly string[]> {
  const who = { workspace_id: repo.workspace_id, actor_id: agent_id }
  const findSimilar = await similarTo(hearth, who, task)
  const found: Similar[] = []
  for (const place of placesOf(repo))
    found.push(...(await findSimilar(place, usableRows(hearth, repo, place))))
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, 2 * MAX_NEAREST)
    .map(({ row }) => row.id)
}

/** Joins the order by words with that by meaning: what is near the front of both comes first. */
function fuse(byWords: readonly MemoryRow[], byMeaning: readonly MemoryRow[]): MemoryRow[] {
  const scores = new Map<MemoryRow, number>()
  for (const ranking of [byWords, byMeaning])
    for (const [rank, row] of ranking.entries())
      scores.set(row, (scores.get(row) ?? 0) + 1 / (RANK_OFFSET + rank))
  return [...scores].sort(([, a], [, b]) => b - a).map(([row]) => row)
}

/**
 * Chooses the memories for a task: pinned ones, then those that have most to do with its text, as
 * far as they fit.
 */
function chooseMemories(
  { hearth, now_ms }: Tx,
  repo: Home,
  task: string,
  similar: readonly string[],
): MemoryRow[] {
  const rows = placesOf(repo).flatMap((place) => usableRows(hearth, repo, place))
  const pinned = matchMemories(
    rows.filter((row) => row.pinned === 1),
    undefined,
    now_ms,
  )
  const others = rows.filter((row) => row.pinned === 0)
  const byId = new Map(others.map((row) => [row.id, row]))
  const nearest = fuse(
    nearestMemories(others, task, now_ms),
    similar.flatMap((id) => byId.get(id) ?? []),
  )
  const chosen: MemoryRow[] = []
  let chars = 0
  for (const row of [...pinned, ...nearest.slice(0, MAX_NEAREST)]) {
    if (chars + row.text.length > MAX_PROMPT_CHARS) continue
    chars += row.text.length
    chosen.push(row)
  }
  return chosen
}

/**
 * The memories for a task as lines with kind, author and day, and counts that they were used; ''
 * when there are none. `similar` are the ids that `findSimilarMemories` found.
 */
export function takeMemories(tx: Tx, repo: Home, task: string, similar: readonly string[]): string {
  const chosen = chooseMemories(tx, repo, task, similar)
  if (chosen.length === 0) return ''
  addUses(
    tx,
    chosen.map(({ id }) => id),
  )
  const authors = actorsOf(
    tx.hearth,
    chosen.map(({ author_id }) => author_id),
  )
  return chosen
    .map((row, at) => {
      const paths = citedPaths(row).map(({ path }) => path)
      const files = paths.length === 0 ? '' : ` (about ${paths.join(', ')})`
      const by = `${row.kind}, ${authors[at]?.username ?? 'ghost'}, ${row.created_at.slice(0, 10)}`
      return `- [${by}] ${row.text}${files}`
    })
    .join('\n')
}
