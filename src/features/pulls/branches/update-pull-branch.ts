import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { contextOf } from '../pull-context.ts'
import {
  moveHeadTo,
  prepareHeadMove,
  requireExpectedHead,
  requireHeadLocation,
} from './head-location.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { Pull } from '../schema.ts'
import { freshStats, statsIfAny } from '../changes/stats.ts'
import { requirePull } from '../store-pulls.ts'
import { inPull } from '../untrusted-texts.ts'
import { buildUpdate } from './update-branch.ts'

export const updatePullBranch = operation({
  name: 'update_pull_branch',
  summary:
    'Bring the base into the head of a pull request: merge it in, or replay the commits on it (rebase). For whoever may push to its head. 409 with conflict_paths when that conflicts. Answers the pull request.',
  keywords: [
    'bring up to date',
    'rebase',
    'merge main into my branch',
    'sync with main',
    'update branch',
    'behind main',
    'pull in the latest changes',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/update',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    method: Type.Optional(
      OneOf(['merge', 'rebase'], {
        description: 'merge unless given; rebase rewrites its commits.',
      }),
    ),
    expected_head: Type.Optional(ShaPrefix('Only if this is still its head.')),
  }),
  output: Pull,
  untrusted: inPull,

  handler: async (
    { hearth, db, repo, caller, write },
    { number, method = 'merge', expected_head },
  ) => {
    const pull = requirePull(db, repo.id, number)
    const context = contextOf(db, repo.id)
    const place = requireHeadLocation(hearth, caller, context, pull, 'pulls:write')
    requireExpectedHead(pull, expected_head)
    const stats = await freshStats(hearth, pull)
    if (stats && stats.behind > 0) {
      const { commit } = await buildUpdate(hearth, context, pull, {
        head: place.sha,
        method: method as 'merge' | 'rebase',
        by: commitIdentity(hearth, caller),
      })
      const move = await prepareHeadMove(hearth, caller, place, commit)
      await write((tx) =>
        moveHeadTo(tx, requirePull(tx.db, repo.id, number), move, { mergedHere: true }),
      )
      await statsIfAny(hearth, requirePull(db, repo.id, number))
    }
    return pullRecord(hearth, requirePull(db, repo.id, number), context)
  },
})
