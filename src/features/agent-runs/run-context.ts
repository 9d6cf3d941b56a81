/** Everything that one step of a run needs, read anew for each step. */
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { builtInCaller } from '#features/agents/index.ts'
import { contextOf, findPullById, type PullContext, type PullRow } from '#features/pulls/index.ts'
import { branchRef, readRef, repoById, type RepoRow } from '#features/repos/index.ts'
import type { FileContents } from '#features/checks/index.ts'
import type { Oid } from '#git'
import { findRun, listFiles, type AgentRunRow } from './store.ts'

export type RunContext = {
  readonly hearth: Hearth
  readonly run: AgentRunRow
  readonly caller: AgentCaller
  readonly pull: PullRow
  readonly context: PullContext
  readonly fork: RepoRow
  /** The branch of the fork, and its commit. */
  readonly branch: string
  readonly head: Oid
  /** Files that were changed since that commit. */
  readonly files: FileContents
  /** Those of them that can be executed; as they are in the commit unless given. */
  readonly executable?: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** Null when the agent, its pull request or its fork is gone. */
export function runContext(
  hearth: Hearth,
  agent_id: string,
  signal: AbortSignal,
): RunContext | null {
  const { db } = hearth
  const run = findRun(db, agent_id)
  const caller = run && builtInCaller(hearth, agent_id)
  const pull = run && findPullById(db, run.pull_id)
  const fork = pull?.fork_id ? repoById(db, pull.fork_id) : null
  if (!run || !caller || !pull || !fork) return null
  const branch = pull.head_ref ?? pull.base_ref
  const head = pull.head_sha ?? readRef(db, fork.id, branchRef(branch))
  if (head === null) return null
  const context = contextOf(db, run.repo_id)
  const files = listFiles(db, agent_id)
  return { hearth, run, caller, pull, context, fork, branch, head, files, signal }
}
