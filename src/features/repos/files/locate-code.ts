import { readsRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Sha, Type } from '#core/schema.ts'
import { branchRef, tagRef } from '../refs/ref-names.ts'
import {
  refuseBadInput,
  headCommit,
  pathNotFound,
  resolveCommit,
  parseTreePath,
} from '../refs/resolve-commit.ts'
import { findBranchRedirect } from '../store/redirects.ts'
import { findRef } from '../store/refs.ts'

/** Longer prefixes of an address are paths, not refs. */
const MAX_REF_PARTS = 20

/**
 * Splits a page address into ref and path. Both may contain slashes, and nothing separates them.
 * The longest prefix that is a branch or tag wins, as in git; next the longest that is a former
 * branch name; otherwise the first segment must be a commit.
 */
function splitRef(
  db: Db,
  repo_id: string,
  parts: readonly string[],
): { ref: string; kind: 'branch' | 'tag' | 'commit'; used: number; renamed: boolean } {
  const names = parts
    .slice(0, MAX_REF_PARTS)
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
    /** Whether the address uses a former name of the branch. */
    renamed: Type.Boolean(),
    kind: OneOf(['branch', 'tag', 'commit']),
    path: Type.String(),
    /** Null only at the root of a repository without commits. */
    sha: Nullable(Sha),
    /** The entry at the path; `dir` for the root. */
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
    const { ref, kind, used, renamed } = splitRef(db, repo.id, parts)
    const sha = await resolveCommit(hearth, repo, ref)
    const path = parseTreePath(parts.slice(used).join('/'))
    if (path === '')
      return { ref, renamed, kind, path, sha, type: 'dir' as const, oid: null, size: null }
    const entry = await refuseBadInput('path', () => git.findEntry(repo.store, sha, path))
    if (!entry) throw pathNotFound(path)
    return { ref, renamed, kind, path, sha, type: entry.type, oid: entry.oid, size: entry.size }
  },
})
