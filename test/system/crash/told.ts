/** Events against changes: none without the other, and refs where their events lead. */
import type { Ask, RefOf, Repos } from './database.ts'
import type { Ledger } from './ledger.ts'

/**
 * A change that must have been told: its event and its rows. The keys of both must be the same,
 * each once.
 */
const TOLD: readonly { readonly event: string; readonly key: string; readonly change: string }[] = [
  {
    event: 'issue.opened',
    key: `repo_id || '#' || number`,
    change: `SELECT repo_id || '#' || number AS key FROM issues`,
  },
  {
    event: 'issue.closed',
    key: `repo_id || '#' || number`,
    change: `SELECT repo_id || '#' || number AS key FROM issues WHERE closed_at IS NOT NULL`,
  },
  {
    event: 'pull.opened',
    key: `repo_id || '#' || number`,
    change: `SELECT repo_id || '#' || number AS key FROM pulls`,
  },
  {
    event: 'pull.ready',
    key: `repo_id || '#' || number`,
    // One from a branch is ready when it is opened, and says no more than that.
    change: `SELECT repo_id || '#' || number AS key FROM pulls WHERE ready_at IS NOT NULL AND branch IS NULL`,
  },
  {
    event: 'pull.merged',
    key: `repo_id || '#' || number || ' as ' || (data ->> 'commit')`,
    change: `SELECT repo_id || '#' || number || ' as ' || merge_commit_sha AS key FROM pulls WHERE status = 'merged'`,
  },
  { event: 'comment.created', key: `data ->> 'comment'`, change: 'SELECT id AS key FROM comments' },
  {
    event: 'repo.created',
    key: 'repo_id',
    change: 'SELECT id AS key FROM repos WHERE parent_id IS NULL',
  },
  {
    event: 'repo.forked',
    key: `repo_id || '#' || (data ->> 'pull')`,
    change: `SELECT parent_id || '#' || pull_number AS key FROM repos WHERE parent_id IS NOT NULL`,
  },
]

export function events(ask: Ask): string[] {
  const problems: string[] = []
  for (const { event, key, change } of TOLD) {
    const changes = new Set(ask<{ key: string }>(change).map((row) => row.key))
    const seen = new Set<string>()
    // A review without a comment on a line is told as a comment too, and has no row among them.
    for (const { key: one } of ask<{ key: string }>(
      `SELECT ${key} AS key FROM events WHERE type = ? AND ${key} IS NOT NULL`,
      event,
    )) {
      if (!changes.has(one)) problems.push(`${event} without its change: ${one}`)
      if (seen.has(one)) problems.push(`${event} twice: ${one}`)
      seen.add(one)
    }
    for (const one of changes)
      if (!seen.has(one)) problems.push(`a change without its ${event}: ${one}`)
  }
  return problems
}

type Move = {
  readonly repo_id: string
  readonly ref: string
  readonly before: string | null
  readonly after: string | null
}

/**
 * Each ref must be where its last event says, its events must follow one another, and no
 * acknowledged push may be gone.
 */
export function pushes(ask: Ask, repos: Repos, ledgers: readonly Ledger[]): string[] {
  const refs = new Map(
    ask<RefOf>('SELECT repo_id, name, oid FROM refs').map((ref) => [
      `${ref.repo_id} ${ref.name}`,
      ref.oid,
    ]),
  )
  const moves = ask<Move>(
    `SELECT repo_id, data ->> 'ref' AS ref, data ->> 'before' AS before, data ->> 'after' AS after FROM events WHERE type = 'git.push'`,
  )
  const problems: string[] = []
  for (const [name, ofRef] of Map.groupBy(moves, ({ repo_id, ref }) => `${repo_id} ${ref}`)) {
    const problem = walk(ofRef, refs.get(name) ?? null)
    if (problem !== null) problems.push(`${name}: ${problem}`)
  }
  for (const { entries, sent } of ledgers) {
    for (const entry of entries) {
      if (entry.kind !== 'push') continue
      const at = refs.get(`${repos.get(entry.repo)} ${entry.ref}`) ?? ''
      const order = sent.get(`${entry.repo} ${entry.ref}`) ?? []
      // What was sent later may have arrived without an answer; what was sent before may not be
      // back.
      if (order.indexOf(at) < order.indexOf(entry.oid))
        problems.push(
          `acknowledged and lost: ${JSON.stringify(entry)}; the ref is at ${at || 'nothing'}`,
        )
    }
  }
  return problems
}

/**
 * Follows the moves of one ref from where it began; events of one millisecond have no order of
 * their own.
 */
function walk(moves: readonly Move[], now: string | null): string | null {
  const steps = new Map(moves.map(({ before, after }) => [before, after]))
  if (steps.size !== moves.length) return 'it left one commit twice'
  const reached = new Set(steps.values())
  let at = [...steps.keys()].find((from) => !reached.has(from)) ?? null
  let walked = 0
  for (let next = steps.get(at); next !== undefined && walked < steps.size; next = steps.get(at)) {
    at = next
    walked++
  }
  if (walked !== steps.size) return 'its events do not follow one another'
  return at === now ? null : `it is at ${now}, its last event says ${at}`
}
