import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { ownersOfPath, readCodeOwners } from './code-owners.ts'
import { headCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { TreePath } from '../schema.ts'

export const listCodeOwners = operation({
  name: 'list_code_owners',
  summary:
    'List who answers for which code: the rules of the CODEOWNERS file of the default branch, and the owners of one path when it is given. The last rule that matches wins.',
  keywords: ['CODEOWNERS', 'who owns the code', 'responsible for a path', 'owner of a file'],
  route: 'GET /repos/{owner}/{name}/code-owners',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, path: Type.Optional(TreePath) }),
  output: Type.Object(
    {
      file: Nullable(
        Type.String({ description: 'Where the rules are; null when there are none.' }),
      ),
      rules: Type.Array(
        Type.Object({
          line: Type.Integer(),
          pattern: Type.String(),
          owners: Type.Array(
            Type.String({ description: 'As written: @username, @workspace/team or an address.' }),
          ),
        }),
      ),
      path: Nullable(Type.String()),
      owners: Nullable(Type.Array(Type.String({ description: 'The owners of the path.' }))),
    },
    { $id: 'CodeOwners' },
  ),

  handler: async ({ hearth, repo }, { path }) => {
    const wanted = path === undefined ? null : parseTreePath(path)
    const commit = headCommit(hearth, repo)
    const found = commit === null ? null : await readCodeOwners(hearth, repo.store, commit)
    const rules = found?.rules ?? []
    return {
      file: found?.file ?? null,
      rules: rules.map(({ line, pattern, owners }) => ({ line, pattern, owners: [...owners] })),
      path: wanted,
      owners: wanted === null ? null : [...ownersOfPath(rules, wanted)],
    }
  },
})
