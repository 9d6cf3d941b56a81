import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import { applyFact } from './apply-fact.ts'
import { auditMirror, requireLeader } from './inputs.ts'
import { linkAnswer } from './record.ts'
import { MirrorLink } from './schema.ts'

export const moveMirrorToService = operation({
  name: 'move_mirror_to_service',
  summary:
    'Let this service lead for good. The link is removed, or with keep_remote_updated the remote follows from then on. For Admin; agents are refused.',
  keywords: ['migrate for good', 'make this the home', 'leave GitHub'],
  route: [
    'POST /repos/{owner}/{name}/mirror/move-to-service',
    'POST /repos/{owner}/{name}/mirror/move-to-g1t',
  ],
  toolset: 'mirrors',
  access: writesRepo('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    keep_remote_updated: Type.Optional(
      Type.Boolean({
        description: 'Whether the remote is pushed to afterwards; false by default.',
      }),
    ),
  }),
  output: MirrorLink,
  status: 200,
  annotations: { destructive: true, openWorld: true },

  handler: async ({ hearth, caller, repo, write }, { keep_remote_updated = false }) => {
    if (caller.kind === 'agent')
      throw forbidden('person_required', 'an agent cannot decide where a repository lives')
    await write((tx) => {
      const row = requireLeader(tx.db, repo)
      if (!applyFact(tx, row.id, { kind: 'move_to_service', keep: keep_remote_updated }))
        throw conflict(
          'not_ready',
          `the mirror ${row.name} is in ${row.state}: this needs standing_by, ci_failover or takeover`,
          { state: row.state },
        )
      auditMirror(tx, repo, 'mirror.moved_to_service', row, { keep_remote_updated })
    })
    return linkAnswer(hearth, caller, repo)
  },
})
