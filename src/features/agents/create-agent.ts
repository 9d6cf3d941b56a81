import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Slug, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  tokenExpiry,
  issueToken,
  recordActor,
  requireImpersonalScopes,
  Scopes,
} from '#features/accounts/index.ts'
import { requireActive, requirePull } from '#features/pulls/index.ts'
import { conflict } from '#lib/errors.ts'
import { HOUR } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { requireAgent, requireOwnRepository } from './require-agent.ts'
import { agentRecord } from './agent-record.ts'
import { AGENT_ROLES, NewAgent } from './schema.ts'
import { insertAgent, listRunningAgents } from './store.ts'

const DEFAULT_LIFETIME_HOURS = 24
const MAX_LIFETIME_HOURS = 90 * 24

/** The scopes for work on one change. Merging is not included. */
export const DEFAULT_AGENT_SCOPES = [
  'repo:read',
  'code:write',
  'issues:write',
  'pulls:write',
  'workflows:read',
  'memory:write',
]

/**
 * An agent acts for the user who starts it. Its role never exceeds that user's role at the time of
 * a request, and reviews attribute its work to that user.
 */
export const createAgent = operation({
  name: 'create_agent',
  summary:
    'Start an agent with a token that reaches this repository alone and ends by itself, or with its pull request. Needs Maintain; people only. Answers the agent with the secret of its token, shown once.',
  keywords: ['start an AI', 'new bot', 'spawn an agent', 'launch an agent', 'token for an agent'],
  route: 'POST /repos/{owner}/{name}/agents',
  toolset: 'access',
  access: writesRepoAsPerson('maintain', { scope: 'access:admin' }),
  input: Type.Object({
    repo: RepoPath,
    name: Slug,
    role: Type.Optional(
      OneOf(AGENT_ROLES, { description: 'The highest role that it can use; write unless given.' }),
    ),
    scopes: Type.Optional(Scopes),
    pull: Type.Optional(RecordNumber),
    max_usd: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'It is stopped once it has cost this.',
      }),
    ),
    expires_in_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIFETIME_HOURS,
        description: 'Hours until it ends, 24 unless given.',
      }),
    ),
  }),
  output: NewAgent,
  status: 201,
  secretAnswer: true,

  handler: (
    { hearth, caller, repo, now_ms, write },
    {
      name,
      role = 'write',
      scopes = DEFAULT_AGENT_SCOPES,
      pull = null,
      max_usd = null,
      expires_in_hours = DEFAULT_LIFETIME_HOURS,
    },
  ) => {
    requireOwnRepository(repo)
    requireImpersonalScopes(caller, scopes)
    return write((tx) => {
      if (pull !== null) requireActive(requirePull(tx.db, repo.id, pull))
      requireFreeAgentName(tx, repo, caller.id, name)
      const id = typeId('agt', tx.now_ms)
      const username = `${caller.username}/${name}`
      recordActor(tx, { id, kind: 'agent', username, name: null, on_behalf_of: caller.id })
      const expires_at = tokenExpiry(caller, now_ms, expires_in_hours * HOUR)
      const unique = [...new Set(scopes)]
      const { token, secret } = issueToken(tx, {
        actor_id: id,
        kind: 'agent',
        source: 'agent',
        name,
        scopes: unique,
        repos: [{ id: repo.id, workspace_id: repo.workspace_id, name: repo.name }],
        workspace_id: null,
        role,
        pull_number: pull,
        expires_at,
        created_by: caller.id,
      })
      insertAgent(tx, {
        id,
        repo_id: repo.id,
        name,
        owner_id: caller.id,
        pull_number: pull,
        role,
        scopes: JSON.stringify(unique),
        model: null,
        max_usd,
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
        data: { after: { role, scopes: unique, pull, max_usd, expires_at } },
      })
      const agent = agentRecord(hearth, requireAgent(tx.db, repo.id, id))
      return { ...agent, token: { ...agent.token, secret } }
    })
  },
})

/** Throws 409 `already_exists` while an agent of the same user and name is running. */
function requireFreeAgentName(tx: Tx, repo: RepoGrant, owner_id: string, name: string): void {
  const running = listRunningAgents(tx.db, repo.id, tx.now).find(
    (agent) => agent.owner_id === owner_id && agent.name === name,
  )
  if (running)
    throw conflict(
      'already_exists',
      `your agent ${name} is running in ${repo.full_name}; stop it first, or take another name`,
      { id: running.id },
    )
}
