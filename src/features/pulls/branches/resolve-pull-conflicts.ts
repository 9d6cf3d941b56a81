/**
 * Resolves the conflicts of a pull request: one merge commit of the base into the head, by the
 * caller. Its content is the caller's, so it counts as their push.
 */
import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, type Static } from '#core/schema.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { GitError, type Resolution } from '#git'
import { conflict, invalid } from '#lib/errors.ts'
import { freshStats, statsIfAny } from '../changes/stats.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { contextOf } from '../pull-context.ts'
import { pullRecord } from '../pull-record.ts'
import { Pull } from '../schema.ts'
import { requirePull } from '../store-pulls.ts'
import { inPull } from '../untrusted-texts.ts'
import {
  moveHeadTo,
  prepareHeadMove,
  requireExpectedHead,
  requireHeadLocation,
} from './head-location.ts'

const ResolutionInput = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  take: Type.Optional(
    OneOf(['head', 'base'], {
      description: 'The version of one side; where that side deleted the file, its deletion.',
    }),
  ),
  content: Type.Optional(
    Type.String({ maxLength: 1024 * 1024, description: 'The whole file, in place of take.' }),
  ),
})

export const resolvePullConflicts = operation({
  name: 'resolve_pull_conflicts',
  summary:
    'Merge the base into the head of a pull request with a resolution for every conflict of get_pull_conflicts: the version of a side, or the content of the file. For whoever may push to its head. 409 conflicts names what is left. Answers the pull request.',
  keywords: ['resolve merge conflicts', 'fix conflicts', 'conflict editor'],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/conflicts',
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    head_sha: ShaPrefix('The head that the conflicts were read of.'),
    base_sha: ShaPrefix('The tip of the base that they were read of.'),
    resolutions: Type.Array(ResolutionInput, { minItems: 1, maxItems: 100 }),
  }),
  output: Pull,
  untrusted: inPull,

  handler: async (
    { hearth, db, repo, caller, write },
    { number, head_sha, base_sha, resolutions },
  ) => {
    const pull = requirePull(db, repo.id, number)
    const context = contextOf(db, repo.id)
    const place = requireHeadLocation(hearth, caller, context, pull, 'pulls:write')
    requireExpectedHead(pull, head_sha)
    const stats = await freshStats(hearth, pull)
    if (!stats?.base_sha.startsWith(base_sha))
      throw conflict('base_moved', `${pull.base_ref} has moved; read the conflicts again`, {
        base: pull.base_ref,
      })
    const by = commitIdentity(hearth, caller)
    const merged = await hearth.git
      .merge(repo.store, {
        method: 'merge',
        base: place.sha,
        head: stats.base_sha,
        message: `Merge ${pull.base_ref} into ${pull.head_ref ?? 'the head'}\n`,
        author: by,
        committer: by,
        resolutions: toResolutions(resolutions),
      })
      .catch(refuseInvalid)
    if ('conflicts' in merged)
      throw conflict('conflicts', `still in conflict: ${merged.conflicts.slice(0, 5).join(', ')}`, {
        conflict_paths: merged.conflicts.slice(0, 100),
      })
    const move = await prepareHeadMove(hearth, caller, place, merged.commit)
    await write((tx) => moveHeadTo(tx, requirePull(tx.db, repo.id, number), move))
    await statsIfAny(hearth, requirePull(db, repo.id, number))
    return pullRecord(hearth, requirePull(db, repo.id, number), context)
  },
})

function toResolutions(given: readonly Static<typeof ResolutionInput>[]): Resolution[] {
  const seen = new Set<string>()
  return given.map(({ path, take, content }, index) => {
    const field = `resolutions[${index}]`
    if (seen.has(path)) throw invalid(field, `${path} has a resolution already`)
    seen.add(path)
    if (take === undefined && content !== undefined)
      return { path, take: 'content', data: new TextEncoder().encode(content) }
    if (take === undefined || content !== undefined)
      throw invalid(field, `${path} needs either take or content`)
    return { path, take: take === 'head' ? 'ours' : 'theirs' }
  })
}

/** A path without such a conflict is a fault of the input. */
function refuseInvalid(error: unknown): never {
  if (error instanceof GitError && error.code === 'invalid')
    throw invalid('resolutions', error.message)
  throw error
}
