/** Looks up the agents that an input names. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import { findAgent, type AgentRow } from './store.ts'

/** Throws 404 for unknown agents and for agents of other repositories. */
export function requireAgent(db: Db, repo_id: string, id: string): AgentRow {
  const agent = findAgent(db, id)
  if (agent?.repo_id !== repo_id) throw notFound(`the agent ${id}`)
  return agent
}

/** Agents belong to repositories, never to the forks of pull requests. Throws 404 for a fork. */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}
