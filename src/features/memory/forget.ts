import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Nothing, RepoPath, Type } from '#core/schema.ts'
import { isAuthor, refuseFork } from '#features/issues/index.ts'
import { forbidden } from '#lib/errors.ts'
import { requireMemory } from './memory-record.ts'
import { auditMemory } from './remember.ts'
import { removeMemory } from './store.ts'

export const forget = operation({
  name: 'forget',
  summary:
    'Delete a memory. Those who wrote it may; else project memory needs Write, and workspace memory an owner of the workspace.',
  keywords: ['delete a memory', 'remove a note', 'unlearn'],
  route: 'DELETE /repos/{owner}/{name}/memory/{id}',
  toolset: 'code',
  access: writesRepo('read', { scope: 'memory:write' }),
  input: Type.Object({ repo: RepoPath, id: Id('mem') }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ hearth, repo, caller, write }, { id }) => {
    refuseFork(repo)
    return write((tx) => {
      const row = requireMemory(hearth, repo, caller, id)
      if (!isAuthor(hearth, caller, row.author_id)) {
        if (row.repo_id !== null) repo.require('write')
        else if (repo.workspace_role !== 'owner')
          throw forbidden(
            'role',
            `only who wrote it or an owner of ${repo.workspace} may forget a memory of the workspace`,
          )
      }
      removeMemory(tx, id)
      auditMemory(tx, repo, 'memory.forgotten', id)
      return null
    })
  },
})
