import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { linkAnswer } from './record.ts'
import { MirrorLink } from './schema.ts'

export const getMirror = operation({
  name: 'get_mirror',
  summary:
    'Get the mirror links of a repository: which side leads, since when, and what failed. During a takeover the answer has the plan of a hand back.',
  keywords: ['which side leads', 'remote repository', 'upstream', 'failover state'],
  route: 'GET /repos/{owner}/{name}/mirror',
  toolset: 'mirrors',
  access: readsRepoAs('read', { scope: 'repo:read', whileArchived: true }),
  input: Type.Object({ repo: RepoPath }),
  output: MirrorLink,
  annotations: { openWorld: true },

  handler: ({ hearth, caller, repo }) => linkAnswer(hearth, caller, repo),
})
