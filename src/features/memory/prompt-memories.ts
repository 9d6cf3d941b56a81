/** The memories that an agent is given when it begins to work. */
import type { Tx } from '#core/write.ts'
import { actorsOf } from '#features/accounts/index.ts'
import { citedPaths } from './citations.ts'
import { matchMemories, nearestMemories } from './match-memories.ts'
import { addUses, listMemoryRows, type MemoryRow } from './store.ts'
import { isWaiting } from './trust.ts'

/** How many are chosen by the words of the task; pinned ones are given besides. */
const MAX_NEAREST = 8
/** About 1,700 tokens. */
const MAX_PROMPT_CHARS = 6_000

type Home = { readonly id: string; readonly workspace_id: string }

/**
 * Chooses the memories for a task: pinned ones, then those that have most to do with its text, as
 * far as they fit. Those that wait for a person are left out.
 */
function chooseMemories({ hearth, db, now_ms }: Tx, repo: Home, task: string): MemoryRow[] {
  const rows = [{ repo_id: repo.id }, { workspace_id: repo.workspace_id }]
    .flatMap((place) => listMemoryRows(db, place))
    .filter((row) => !isWaiting(hearth, repo.workspace_id, row))
  const pinned = matchMemories(
    rows.filter((row) => row.pinned === 1),
    undefined,
    now_ms,
  )
  const others = rows.filter((row) => row.pinned === 0)
  const chosen: MemoryRow[] = []
  let chars = 0
  for (const row of [...pinned, ...nearestMemories(others, task, now_ms).slice(0, MAX_NEAREST)]) {
    if (chars + row.text.length > MAX_PROMPT_CHARS) continue
    chars += row.text.length
    chosen.push(row)
  }
  return chosen
}

/**
 * The memories for a task as lines with kind, author and day, and counts that they were used; ''
 * when there are none.
 */
export function takeMemories(tx: Tx, repo: Home, task: string): string {
  const chosen = chooseMemories(tx, repo, task)
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
