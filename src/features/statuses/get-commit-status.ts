import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Ref } from '#features/repos/schema.ts'
import { combineStates, requireRepo, resolveCommit } from '#features/repos/index.ts'
import { CombinedStatus } from './schema.ts'
import { statusRecord } from './status-record.ts'
import { listLatest } from './store.ts'

export const getCommitStatus = operation({
  name: 'get_commit_status',
  summary:
    'Get what was said of a commit from outside: the latest status of each context, and what they come to together.',
  keywords: [
    'status checks of a commit',
    'external CI result',
    'did the commit pass',
    'is the commit green',
  ],
  route: 'GET /repos/{owner}/{name}/commits/{ref}/status',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, ref: Ref }),
  output: CombinedStatus,

  handler: async ({ hearth, db, repo }, { ref }) => {
    // A fork shares the statuses of its repository.
    const home = repo.parent_id ?? repo.id
    const known = /^[0-9a-f]{40}$/i.test(ref) ? listLatest(db, home, ref.toLowerCase()) : []
    const sha = known[0]?.sha ?? (await resolveCommit(hearth, requireRepo(db, repo.id), ref))
    const rows = known.length > 0 ? known : listLatest(db, home, sha)
    return {
      sha,
      state: combineStates(rows.map(({ state }) => state)),
      statuses: rows.map((row) => statusRecord(hearth, row)),
      total: rows.length,
    }
  },
})
