import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { checksOf } from '#features/checks/index.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { ChecksAndStatuses } from '../schema.ts'
import { resolvePullCommit } from '../changes/changes-since.ts'
import { requirePull } from '../store-pulls.ts'
import { inChecks } from '../untrusted-texts.ts'

export const getPullChecks = operation({
  name: 'get_pull_checks',
  summary: `The results of the acceptance checks of a pull request's issue, and the commit statuses of its head (or of an earlier one, with sha).`,
  keywords: [
    'CI status',
    'did the build pass',
    'build fail',
    'tests green',
    'check results',
    'status of checks',
    'are the tests passing',
  ],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/checks',
  toolset: 'pulls',
  listed: 'core',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ ...onPull, sha: Type.Optional(ShaPrefix('An earlier head.')) }),
  output: ChecksAndStatuses,
  untrusted: inChecks,

  handler: async ({ hearth, db, repo }, { number, sha }) => {
    const pull = requirePull(db, repo.id, number)
    const commit =
      sha === undefined
        ? pull.head_sha
        : await resolvePullCommit(hearth, repo.store, pull, sha, 'sha')
    return { ...checksOf(hearth, { repo_id: repo.id, number, head_sha: commit }), statuses: [] }
  },
})
