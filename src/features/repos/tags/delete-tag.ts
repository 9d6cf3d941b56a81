import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLiveFamily } from '../lifecycle/preconditions.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { tagRef } from '../refs/ref-names.ts'
import { moveRefs, type PreparedUpdate } from '../refs/move-refs.ts'
import { readRef } from '../store/refs.ts'
import { tagNotFound } from './tag-record.ts'

export const deleteTag = operation({
  name: 'delete_tag',
  summary: 'Delete a tag (Maintain). What it names stays where a branch or another tag reaches it.',
  keywords: ['remove a tag'],
  route: 'DELETE /repos/{owner}/{name}/tags/{tag}',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('maintain', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    tag: Type.String({ minLength: 1, maxLength: 500, description: 'The name of the tag.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: async ({ hearth, db, repo, caller, write }, { tag }) => {
    const name = tagRef(tag)
    const deletion = (old: string): PreparedUpdate => ({
      name,
      old,
      new: null,
      peeled: null,
      commits: 0,
      forced: false,
    })
    const seen = readRef(db, repo.id, name)
    if (seen === null) throw tagNotFound(tag)
    const guard = await requireMovesAllowed(hearth, repo.id, caller, [deletion(seen)])
    return write((tx) => {
      const row = requireLiveFamily(tx.db, repo.id)
      const old = readRef(tx.db, repo.id, name)
      if (old === null) throw tagNotFound(tag)
      guard(tx)
      moveRefs(tx, repo, [deletion(old)])
      auditRepo(tx, 'tag.deleted', row, { before: { tag, sha: old } })
      return null
    })
  },
})
