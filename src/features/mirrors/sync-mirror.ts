import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { applyFact } from './apply-fact.ts'
import { requireMirror } from './inputs.ts'
import { linkAnswer } from './record.ts'
import { requestSync } from './request-work.ts'
import { MirrorLink } from './schema.ts'
import { listMirrors } from './store.ts'

export const syncMirror = operation({
  name: 'sync_mirror',
  summary:
    'Fetch from or push to the remotes of a repository now, all of them or one. An administrator also accepts with it that a leading remote lost refs. Answers at once; the work goes on.',
  keywords: ['fetch from upstream', 'refresh a mirror', 'push to the mirror now'],
  route: 'POST /repos/{owner}/{name}/mirror/sync',
  toolset: 'mirrors',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({ repo: RepoPath, id: Type.Optional(Id('rmt')) }),
  output: MirrorLink,
  status: 202,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, caller, repo, write }, { id }) => {
    await write((tx) => {
      const rows = id === undefined ? listMirrors(tx.db, repo.id) : [requireMirror(tx.db, repo, id)]
      if (rows.length === 0)
        throw conflict('not_available', `${repo.full_name} has no mirror links`)
      const [only] = rows
      if (rows.length === 1 && only?.state === 'paused')
        throw conflict('not_available', `the mirror ${only.name} is paused: resume it first`)
      for (const row of rows) {
        if (row.state === 'paused') continue
        if (applyFact(tx, row.id, { kind: 'retry' })) continue
        // For a follower, overwriting needs `force` of `update_mirror`.
        requestSync(tx, row.id, { accept: row.role === 'leader' && repo.can('admin') })
      }
    })
    return linkAnswer(hearth, caller, repo)
  },
})
