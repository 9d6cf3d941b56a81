/** The built-in agent as an actor: one for each pull request that it works on. */
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { findToken, issueToken, recordActor, userCaller } from '#features/accounts/index.ts'
import { repoById } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { findAgent, insertAgent } from './store.ts'

export const BUILT_IN_AGENT = 'agent'

const LIFETIME_MS = 7 * DAY

/** What it may do by itself. Commits to its own fork are made for it. */
const SCOPES = [
  'repo:read',
  'code:read',
  'issues:write',
  'pulls:write',
  'workflows:read',
  'memory:write',
  'models:use',
]

export const REVIEWER = 'reviewer'

/** The reviewer reads the change and writes its review. It cannot push, not even for others. */
const REVIEWER_SCOPES = ['repo:read', 'code:read', 'issues:read', 'pulls:write']

/** Starts the built-in agent for a person and a pull request. Its token is never given to anyone. */
export function startBuiltInAgent(
  tx: Tx,
  agent: {
    readonly repo_id: string
    readonly owner: { readonly id: string; readonly username: string }
    readonly pull_number: number
    readonly model: string
    readonly max_usd: number | null
    /** The built-in agent, the reviewer, or a program of the operator. */
    readonly name?: string
  },
): string {
  const { name = BUILT_IN_AGENT } = agent
  const scopes = name === REVIEWER ? REVIEWER_SCOPES : SCOPES
  const repo = repoById(tx.db, agent.repo_id)
  if (!repo) throw new TypeError(`there is no repository ${agent.repo_id}`)
  const id = typeId('agt', tx.now_ms)
  const username = `${agent.owner.username}/${name}`
  recordActor(tx, { id, kind: 'agent', username, name: null, on_behalf_of: agent.owner.id })
  const expires_at = timestamp(tx.now_ms + LIFETIME_MS)
  const { token } = issueToken(tx, {
    actor_id: id,
    kind: 'agent',
    source: 'agent',
    name,
    scopes,
    repos: [{ id: repo.id, workspace_id: repo.workspace_id, name: repo.name }],
    workspace_id: null,
    role: 'write',
    pull_number: agent.pull_number,
    expires_at,
    created_by: agent.owner.id,
  })
  insertAgent(tx, {
    id,
    repo_id: repo.id,
    name,
    owner_id: agent.owner.id,
    pull_number: agent.pull_number,
    role: 'write',
    scopes: JSON.stringify(scopes),
    model: agent.model,
    max_usd: agent.max_usd,
    token_id: token.id,
    last_four: token.last_four,
    started_at: tx.now,
    expires_at,
  })
  tx.audit({
    action: 'agent.created',
    target: { kind: 'agent', id, name: username },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { after: { role: 'write', scopes, pull: agent.pull_number, expires_at } },
  })
  return id
}

/**
 * The built-in agent as a caller, with the rights that its token and its person have now. Null once
 * its token has ended or its person is suspended.
 */
export function builtInCaller(
  { db, clock }: Pick<Hearth, 'db' | 'clock'>,
  agent_id: string,
): AgentCaller | null {
  const agent = findAgent(db, agent_id)
  const token = agent && findToken(db, agent.token_id)
  const repo = agent && repoById(db, agent.repo_id)
  const owner = agent && userCaller(db, agent.owner_id)
  if (!agent || !token || !repo || !owner || owner.suspended || agent.ended_at !== null) return null
  if (Date.parse(agent.expires_at) <= clock.now()) return null
  return {
    kind: 'agent',
    id: agent.id,
    username: `${owner.username}/${agent.name}`,
    repo_id: agent.repo_id,
    owner_id: agent.owner_id,
    owner_username: owner.username,
    token: {
      id: token.id,
      name: token.name,
      kind: 'agent',
      scopes: JSON.parse(agent.scopes) as string[],
      repos: [agent.repo_id],
      workspace: repo.workspace_id,
      role: agent.role,
      expires_at: agent.expires_at,
    },
  }
}
