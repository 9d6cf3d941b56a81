/** For whom an incoming webhook acts: an actor of its own, with the rights of the Owner who set it. */
import { decide, writesRepo, type RepoGrant } from '#core/access.ts'
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, userCaller } from '#features/accounts/index.ts'
import type { IntegrationRow } from '#features/integrations/index.ts'
import { requireContribution } from '#features/issues/index.ts'
import { fullName } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { HookRow } from './store.ts'

type Hooked = { readonly hook: HookRow; readonly integration: IntegrationRow }

/** The author of the issues, with the rights that its person has now. */
export function callerOf(hearth: Hearth, { hook, integration }: Hooked): AgentCaller {
  const owner = userCaller(hearth.db, hook.owner_id)
  if (owner === null || owner.suspended)
    throw new Refusal('forbidden', 'the person who set up this webhook has no account any more')
  return {
    kind: 'agent',
    id: hook.actor_id,
    username: actorOf(hearth, hook.actor_id).username,
    repo_id: hook.repo_id,
    owner_id: owner.id,
    owner_username: owner.username,
    token: {
      id: hook.actor_id,
      name: integration.name,
      kind: 'agent',
      scopes: ['repo:read', 'issues:write'],
      repos: [hook.repo_id],
      workspace: integration.workspace_id,
      role: 'write',
      expires_at: null,
    },
  }
}

/** Throws what the person of a webhook lacks now. */
export function requireRights(
  hearth: Hearth,
  caller: AgentCaller,
  { integration }: Hooked,
): RepoGrant {
  const { repo } = decide(
    writesRepo('triage', { scope: 'issues:write' }),
    caller,
    { repo: fullName(hearth.db, caller.repo_id) },
    hearth.facts,
  )
  if (repo?.workspace_id !== integration.workspace_id)
    throw new Refusal('forbidden', 'the repository is no longer in this workspace')
  requireContribution(hearth, repo, caller)
  return repo
}
