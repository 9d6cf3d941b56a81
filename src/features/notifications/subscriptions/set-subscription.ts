import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { LEVELS, Subscription } from '../schema.ts'
import { findLevel, putLevel } from './store-subscriptions.ts'

export const setSubscription = operation({
  name: 'set_subscription',
  summary:
    'Choose how much you hear of a repository: what concerns you (participating), all, what concerns you and releases (releases), or nothing (ignored). For people.',
  keywords: [
    'watch a repository',
    'unwatch',
    'mute a repository',
    'ignore a repository',
    'follow a repository',
    'notification level',
  ],
  route: 'PUT /repos/{owner}/{name}/subscription',
  toolset: 'issues',
  access: writesRepoAsPerson('read', {
    scope: 'user:write',
    whileArchived: true,
    whileUnconfirmed: true,
  }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, level: OneOf(LEVELS) }),
  output: Subscription,

  handler: ({ repo, caller, write }, { level }) => {
    if (repo.parent_id !== null)
      throw invalid(
        'repo',
        `${repo.full_name} is the fork of a pull request; subscribe to the pull request instead`,
      )
    return write((tx) => {
      putLevel(tx, repo.id, caller.id, level)
      return {
        level,
        repo: repo.full_name,
        created_at: findLevel(tx.db, repo.id, caller.id)?.created_at ?? null,
      }
    })
  },
})
