import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { applyFact } from './apply-fact.ts'
import { auditMirror, requireLeader } from './inputs.ts'
import { linkAnswer } from './record.ts'
import { MirrorLink } from './schema.ts'

export const takeOverMirror = operation({
  name: 'take_over_mirror',
  summary:
    'Let this service lead in place of the remote: pushes and merges happen here until the lead is handed back. Needs no network. For Admin.',
  keywords: ['failover', 'GitHub is down', 'make this the primary', 'promote the mirror'],
  route: 'POST /repos/{owner}/{name}/mirror/take-over',
  toolset: 'mirrors',
  access: writesRepo('admin', { scope: 'repo:admin' }),
  input: Type.Object({ repo: RepoPath }),
  output: MirrorLink,
  status: 200,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, caller, repo, write }) => {
    await write((tx) => {
      const row = requireLeader(tx.db, repo)
      if (row.state === 'takeover') return
      if (!applyFact(tx, row.id, { kind: 'take_over' }))
        throw conflict(
          'not_ready',
          `the mirror ${row.name} is in ${row.state}: a takeover begins in standing_by or ci_failover`,
          { state: row.state },
        )
      auditMirror(tx, repo, 'mirror.taken_over', row, { synced_at: row.synced_at })
    })
    return linkAnswer(hearth, caller, repo)
  },
})
