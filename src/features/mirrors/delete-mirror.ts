import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { deleteLink } from './apply-fact.ts'
import { auditMirror, requireMirror } from './inputs.ts'
import { linkAnswer } from './record.ts'
import { MirrorLink } from './schema.ts'

export const deleteMirror = operation({
  name: 'delete_mirror',
  summary:
    'Remove a mirror link. Both repositories stay as they are, and this service accepts pushes again. Commits that only the remote had are kept for 90 days. For people with Admin.',
  keywords: ['stop mirroring', 'unlink a remote'],
  route: 'DELETE /repos/{owner}/{name}/mirror/{id}',
  toolset: 'mirrors',
  access: writesRepoAsPerson('admin', { scope: 'repo:admin' }),
  input: Type.Object({ repo: RepoPath, id: Id('rmt') }),
  output: MirrorLink,
  annotations: { destructive: true },

  handler: async ({ hearth, caller, repo, write }, { id }) => {
    await write((tx) => {
      const row = requireMirror(tx.db, repo, id)
      deleteLink(tx, row)
      auditMirror(tx, repo, 'mirror.deleted', row)
    })
    return linkAnswer(hearth, caller, repo)
  },
})
