import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLiveFamily } from './lifecycle.ts'
import { tagRef } from './ref-names.ts'
import { moveRefs } from './refs.ts'
import { readRef } from './store-refs.ts'
import { noSuchTag } from './tag-record.ts'

export const deleteTag = operation({
  name: 'delete_tag',
  summary: 'Delete a tag (Maintain). What it names stays where a branch or another tag reaches it.',
  route: 'DELETE /repos/{owner}/{name}/tags/{tag}',
  toolset: 'code',
  access: writesRepo('maintain', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, tag: Type.String({ minLength: 1, maxLength: 500, description: 'The name of the tag.' }) }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { tag }) =>
    write((tx) => {
      const row = requireLiveFamily(tx.db, repo.id)
      const name = tagRef(tag)
      const old = readRef(tx.db, repo.id, name)
      if (old === null) throw noSuchTag(tag)
      moveRefs(tx, repo, [{ name, old, new: null, peeled: null, commits: 0, forced: false }])
      auditRepo(tx, 'tag.deleted', row, { before: { tag, sha: old } })
      return null
    }),
})
