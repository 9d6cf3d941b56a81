import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { refuseBadInput, resolveCommit } from '../refs/resolve-commit.ts'
import { Ref } from '../schema.ts'

/** The page shows at most this many files. */
const MAX_FILES = 10_000

export const listChangedFiles = operation({
  name: 'list_changed_files',
  summary:
    'The paths of all files that differ between two commits, with counts and without their lines; for the list beside a large change.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    base: Type.Optional(Ref),
    head: Ref,
    ignore_whitespace: Type.Optional(Type.Boolean()),
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        path: Type.String(),
        old_path: Nullable(Type.String()),
        status: Type.String(),
        additions: Type.Integer(),
        deletions: Type.Integer(),
      }),
    ),
    more: Type.Boolean(),
  }),

  handler: async ({ hearth, git, repo }, { base, head, ignore_whitespace }) => {
    const [from, to] = await Promise.all([
      base === undefined ? null : resolveCommit(hearth, repo, base, 'base'),
      resolveCommit(hearth, repo, head, 'head'),
    ])
    const { files } = await refuseBadInput('head', () =>
      git.diff(repo.store, from, to, { hunks: false, ignoreWhitespace: ignore_whitespace }),
    )
    return {
      items: files.slice(0, MAX_FILES).map(({ path, old_path, status, additions, deletions }) => ({
        path,
        old_path,
        status,
        additions,
        deletions,
      })),
      more: files.length > MAX_FILES,
    }
  },
})
