import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Sha, Type } from '#core/schema.ts'
import { branchRef, tagRef } from './ref-names.ts'
import { blameInput, headCommit, noSuchPath, resolveCommit, treePath } from './resolve.ts'
import { findRef } from './store-refs.ts'

/** Refs have few parts; a longer prefix is a path. */
const MOST_PARTS = 20

/**
 * A page's address holds a ref and a path with nothing between them, and both may have slashes. The longest beginning that is a
 * branch or a tag wins, as it does for git; else the first part must be a commit.
 */
export const locateCode = operation({
  name: 'locate_code',
  summary: 'Split the end of a page’s address into the ref and the path that it names, with the commit and what is there.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, rest: Type.Optional(Type.String({ maxLength: 5000 })) }),
  output: Type.Object({
    ref: Type.String(),
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
      return { ref: repo.default_branch, kind: 'branch' as const, path: '', sha: headCommit(hearth, repo), type: 'dir' as const, oid: null, size: null }
    }
    let ref = parts[0] ?? ''
    let kind: 'branch' | 'tag' | 'commit' = 'commit'
    let used = 1
    for (let count = Math.min(parts.length, MOST_PARTS); count > 0; count--) {
      const name = parts.slice(0, count).join('/')
      const found = findRef(db, repo.id, branchRef(name)) ? 'branch' : findRef(db, repo.id, tagRef(name)) ? 'tag' : null
      if (found) {
        ref = name
        kind = found
        used = count
        break
      }
    }
    const sha = await resolveCommit(hearth, repo, ref)
    const path = treePath(parts.slice(used).join('/'))
    if (path === '') return { ref, kind, path, sha, type: 'dir' as const, oid: null, size: null }
    const entry = await blameInput('path', () => git.entry(repo.store, sha, path))
    if (!entry) throw noSuchPath(path)
    return { ref, kind, path, sha, type: entry.type, oid: entry.oid, size: entry.size }
  },
})
