import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Subscription } from '../schema.ts'
import { findLevel } from './store-subscriptions.ts'

export const getSubscription = operation({
  name: 'get_subscription',
  summary:
    'Read how much you hear of a repository: participating unless you chose another level. For people.',
  keywords: ['am I watching', 'what do I hear'],
  route: 'GET /repos/{owner}/{name}/subscription',
  toolset: 'issues',
  access: { ...readsRepoAs('read', { scope: 'user:read' }), person: true },
  input: Type.Object({ repo: RepoPath }),
  output: Subscription,

  handler: ({ db, repo, caller }) => {
    const row = findLevel(db, repo.id, caller.id)
    return {
      level: row?.level ?? 'participating',
      repo: repo.full_name,
      created_at: row?.created_at ?? null,
    }
  },
})
