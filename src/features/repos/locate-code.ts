import { readsRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Sha, Type } from '#core/schema.ts'
import { branchRef, tagRef } from './ref-names.ts'
import { blameInput, headCommit, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { findBranchRedirect } from './store-redirects.ts'
import { findRef } from './store-refs.ts'

/** Refs have few parts; a longer prefix is a path. */
const MOST_PARTS = 20

/**
 * A page's address holds a ref and a path with nothing between them, and both may have slashes. The
 * longest beginning that is a branch or a tag wins, as it does for git; else one that was a branch
 * and has another name now; else the first part must be a commit.
 */
function refAt(
  db: Db,
  repo_id: string,
  parts: readonly string[],
): { ref: string; kind: 'branch' | 'tag' | 'commit'; used: number; renamed: boolean } {
  const names = parts
    .slice(0, MOST_PARTS)
    .map((_, index) => ({ ref: parts.slice(0, index + 1).join('/'), used: index + 1 }))
    .reverse()
  for (const { ref, used } of names) {
    if (findRef(db, repo_id, branchRef(ref))) return { ref, kind: 'branch', used, renamed: false }
    if (findRef(db, repo_id, tagRef(ref))) return { ref, kind: 'tag', used, renamed: false }
  }
  for (const { ref: previous, used } of names) {
    const ref = findBranchRedirect(db, repo_id, previous)
    if (ref !== null && findRef(db, repo_id, branchRef(ref)))
      return { ref, kind: 'branch', used, renamed: true }
  }
  return { ref: parts[0] ?? '', kind: 'commit', used: 1, renamed: false }
}

export const locateCode = operation({
  name: 'locate_code',
  summary:
    'Split the end of a page’s address into the ref and the path that it names, with the commit and what is there.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, rest: Type.Optional(Type.String({ maxLength: 5000 })) }),
  output: Type.Object({
    ref: Type.String(),
    /** Whether the address has an old name of the branch. */
    renamed: Type.Boolean(),
    kind: OneOf(['branch', 'tag', 'commit']),
    path: Type.String(),
    /** Null only for the root of a repository without commits. */
    sha: Nullable(Sha),
    /** What is at the path; `dir` for the root. */
    type: OneOf(['file', 'dir', 'symlink', 'submodule']),
    oid: Nullable(Type.String()),
    size: Nullable(Type.Integer()),
  }),

  handler: async ({ hearth, git, db, repo }, { rest = '' }) => {
    const parts = rest.split('/').filter((part) => part !== '')
    if (parts.length === 0) {
      return {
        ref: repo.default_branch,
        renamed: false,
        kind: 'branch' as const,
        path: '',
        sha: headCommit(hearth, repo),
        type: 'dir' as const,
        oid: null,
        size: null,
      }
    }
    const { ref, kind, used, renamed } = refAt(db, repo.id, parts)
    const sha = await resolveCommit(hearth, repo, ref)
    const path = treePath(parts.slice(used).join('/'))
    if (path === '')
      return { ref, renamed, kind, path, sha, type: 'dir' as const, oid: null, size: null }
    const entry = await blameInput('path', () => git.entry(repo.store, sha, path))
    if (!entry) throw noSuchPath(path)
    return { ref, renamed, kind, path, sha, type: entry.type, oid: entry.oid, size: entry.size }
  },
})
