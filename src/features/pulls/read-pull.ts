import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { onPull } from './inputs.ts'
import { pullOverview } from './pull-overview.ts'
import { PullOverview } from './schema.ts'
import { inPullDetail } from './untrusted-texts.ts'

/** Used by the website only, which reads comments in parts. */
export const readPull = operation({
  name: 'read_pull',
  summary: 'What get_pull says, without comments.',
  route: null,
  toolset: 'pulls',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: PullOverview,
  untrusted: inPullDetail,

  handler: ({ hearth, repo }, { number }) => pullOverview(hearth, repo.id, number),
})
