import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { refuseBadInput, resolveCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { Ref, TreePath } from '../schema.ts'

/** Directories that are deeper have no tree beside their files. */
const MAX_DEPTH = 20

const FolderListing = Type.Object({
  path: Type.String(),
  entries: Type.Array(Type.Object({ name: Type.String(), folder: Type.Boolean() })),
  /** How many entries are left out. */
  more: Type.Integer(),
})

export const listTreeAbove = operation({
  name: 'list_tree_above',
  summary:
    'The entries of the root of a commit and of each folder down to a path, for the tree beside a file.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    path: TreePath,
    most: Type.Integer({ minimum: 1, maximum: 1000 }),
  }),
  output: Type.Object({ folders: Type.Array(FolderListing) }),

  handler: async ({ hearth, git, repo }, { ref, path, most }) => {
    const commit = await resolveCommit(hearth, repo, ref)
    const parts = parseTreePath(path)
      .split('/')
      .filter((part) => part !== '')
    if (parts.length > MAX_DEPTH) return { folders: [] }
    const paths = ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))]
    // The entry on the way down is shown even when many are left out.
    const outlines = await refuseBadInput('path', () =>
      Promise.all(
        paths.map((folder, at) =>
          git.outlineTree(repo.store, commit, folder, { limit: most, include: parts[at] ?? null }),
        ),
      ),
    )
    return {
      folders: outlines.flatMap((outline, at) =>
        outline === null
          ? []
          : [
              {
                path: paths[at] ?? '',
                entries: [...outline.entries],
                more: outline.total - outline.entries.length,
              },
            ],
      ),
    }
  },
})
