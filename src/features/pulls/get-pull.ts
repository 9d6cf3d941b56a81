import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { commentsOf } from '#features/issues/index.ts'
import { onPull } from './inputs.ts'
import { pullOverview } from './pull-overview.ts'
import { PullDetail } from './schema.ts'
import { inPullDetail } from './untrusted-texts.ts'

const MAX_COMMENTS = 100

export const getPull = operation({
  name: 'get_pull',
  summary:
    'One pull request with its issue, first 100 comments, reviews, check results, how far it is behind its base, and other pull requests that change the same lines.',
  keywords: [
    'pull request details',
    'status of a pull request',
    'why can it not be merged',
    'merge conflicts',
    'can it be merged',
    'blockers',
    'view a PR',
  ],
  route: 'GET /v1/repos/{owner}/{name}/pulls/{number}',
  toolset: 'pulls',
  aliases: ['get_pull_request'],
  listed: 'core',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: PullDetail,
  untrusted: inPullDetail,

  handler: async ({ hearth, repo }, { number }) => {
    const overview = await pullOverview(hearth, repo.id, number)
    return { ...overview, comments: commentsOf(hearth, repo.id, number, { limit: MAX_COMMENTS }) }
  },
})
