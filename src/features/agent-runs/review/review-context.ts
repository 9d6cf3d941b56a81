/** Everything that one review needs. */
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { builtInCaller } from '#features/agents/index.ts'
import { contextOf, findPullById, type PullRow } from '#features/pulls/index.ts'
import { repoById, type RepoRow } from '#features/repos/index.ts'
import type { AgentReviewRow } from './store.ts'

export type ReviewContext = {
  readonly hearth: Hearth
  readonly row: AgentReviewRow
  readonly caller: AgentCaller
  readonly pull: PullRow
  readonly repo: RepoRow
  readonly full_name: string
  readonly signal: AbortSignal
}

/** Null when the reviewer or the pull request is gone. */
export function reviewContext(
  hearth: Hearth,
  row: AgentReviewRow,
  signal: AbortSignal,
): ReviewContext | null {
  const caller = builtInCaller(hearth, row.agent_id)
  const pull = findPullById(hearth.db, row.pull_id)
  const repo = pull && repoById(hearth.db, pull.repo_id)
  if (!caller || !pull || !repo) return null
  const { full_name } = contextOf(hearth.db, repo.id)
  return { hearth, row, caller, pull, repo, full_name, signal }
}
