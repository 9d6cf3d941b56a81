import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Sha, Type } from '#core/schema.ts'
import { lazy } from '#lib/lazy.ts'
import { branchRef } from './ref-names.ts'
import { resolveCommit } from './resolve-commit.ts'
import { requireRepo } from '../store/repos.ts'
import { listRefsBelow, type RefRow } from '../store/refs.ts'

/** How many refs are checked, the most recently moved first. */
const MAX_REFS = { 'refs/heads': 30, 'refs/tags': 120 } as const

/** Orders numbers within names by value: v1.9 before v1.10. */
const byName = lazy(() => new Intl.Collator('en', { numeric: true }))

export const listCommitRefs = operation({
  name: 'list_commit_refs',
  summary:
    'The branches and tags that have a commit in their history, as far as was looked; for its page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, sha: Sha }),
  output: Type.Object({
    branches: Type.Array(Type.String()),
    tags: Type.Array(Type.String(), { description: 'The lowest version first.' }),
    /** Whether all branches and tags were checked. */
    complete: Type.Boolean(),
  }),

  handler: async ({ hearth, db, git, repo }, { sha }) => {
    const commit = await resolveCommit(hearth, repo, sha, 'sha')
    const first = branchRef(requireRepo(db, repo.id).default_branch)
    let complete = true
    const checked = (directory: keyof typeof MAX_REFS): RefRow[] => {
      const refs = listRefsBelow(db, repo.id, directory, {
        first,
        limit: MAX_REFS[directory] + 1,
        offset: 0,
      })
      if (refs.length > MAX_REFS[directory]) complete = false
      return refs.slice(0, MAX_REFS[directory])
    }
    const [heads, allTags] = [checked('refs/heads'), checked('refs/tags')]
    const tipOf = (ref: RefRow) => ref.peeled ?? ref.oid
    const tips = [...heads, ...allTags].map(tipOf)
    const holding = new Set(await git.findReachingTips(repo.store, commit, tips))
    const namesOf = (refs: readonly RefRow[], directory: keyof typeof MAX_REFS): string[] =>
      refs
        .filter((ref) => holding.has(tipOf(ref)))
        .map(({ name }) => name.slice(directory.length + 1))
    const branches = namesOf(heads, 'refs/heads')
    const tags = namesOf(allTags, 'refs/tags')
    return { branches, tags: tags.sort(byName().compare), complete }
  },
})
