import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Sha, Type } from '#core/schema.ts'
import { lazy } from '#lib/lazy.ts'
import { branchRef } from './ref-names.ts'
import { resolveCommit } from './resolve-commit.ts'
import { requireRepo } from '../store/repos.ts'
import { listRefsBelow, type RefRow } from '../store/refs.ts'

/**
 * How many refs are checked, the most recently moved first. Each check is a separate history walk.
 */
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
    const holding = async (directory: keyof typeof MAX_REFS): Promise<string[]> => {
      const refs = listRefsBelow(db, repo.id, directory, {
        first,
        limit: MAX_REFS[directory] + 1,
        offset: 0,
      })
      if (refs.length > MAX_REFS[directory]) complete = false
      const has = async (ref: RefRow) => {
        const tip = ref.peeled ?? ref.oid
        return tip === commit || (await git.isReachable(repo.store, commit, [tip]))
      }
      const found = await Promise.all(
        refs
          .slice(0, MAX_REFS[directory])
          .map(async (ref) => ((await has(ref)) ? [ref.name.slice(directory.length + 1)] : [])),
      )
      return found.flat()
    }
    const [branches, tags] = await Promise.all([holding('refs/heads'), holding('refs/tags')])
    return { branches, tags: tags.sort(byName().compare), complete }
  },
})
