/**
 * Which memories reach agents. A memory is text that goes into the work of later agents, so one
 * that an agent wrote after it read what strangers wrote waits for a person.
 */
import type { RepoGrant } from '#core/access.ts'
import type { AgentCaller, SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorsOf, findToken } from '#features/accounts/index.ts'
import { untrustedAuthors } from '#features/issues/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { DAY } from '#lib/time.ts'
import type { MemoryScope } from './schema.ts'
import { listAuthorsRead, type MemoryRow } from './store.ts'

/** How long people have to forget what an agent wrote, where a workspace reviews memories. */
export const REVIEW_MS = DAY

/** The pull request that an agent was started for; null for another caller. */
export const pullOfCaller = ({ db }: Pick<Hearth, 'db'>, caller: SignedIn): number | null =>
  caller.kind === 'agent' ? (findToken(db, caller.token.id)?.pull_number ?? null) : null

/**
 * Whether a person has to read what an agent wants to remember: it read text by people without
 * Write, or it writes for repositories other than its own.
 */
export function needsReview(
  hearth: Hearth,
  repo: RepoGrant,
  caller: AgentCaller,
  scope: MemoryScope,
): boolean {
  if (scope === 'workspace') return true
  const pull = pullOfCaller(hearth, caller)
  if (pull === null) return false
  const distrusted = untrustedAuthors({ hearth, repo })
  return actorsOf(hearth, listAuthorsRead(hearth.db, repo.id, pull)).some(distrusted)
}

/** Whether a person wrote a memory, has read it or pinned it. */
export const isReviewed = (row: MemoryRow): boolean =>
  row.author_kind !== 'agent' || row.reviewed_at !== null || row.pinned === 1

/** Whether agents do not get a memory yet. */
export function isWaiting(
  { db, clock }: Pick<Hearth, 'db' | 'clock'>,
  workspace_id: string,
  row: MemoryRow,
): boolean {
  if (isReviewed(row)) return false
  if (row.needs_review === 1) return true
  return (
    workspaceById(db, workspace_id)?.memory_review === 1 &&
    Date.parse(row.created_at) > clock.now() - REVIEW_MS
  )
}
