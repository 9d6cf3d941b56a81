import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { branchRecord } from './branch-record.ts'
import { commitPersonLookup } from '../commits/commit-records.ts'
import { branchOf, branchRef } from '../refs/ref-names.ts'
import { Branch } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { pullsOfBranches } from '../store/pulls.ts'
import { listRefsBelow } from '../store/refs.ts'

export const listBranches = operation({
  name: 'list_branches',
  summary:
    'List the branches of a repository that you can see: the default branch first, then the most recently moved. Each with its last commit and how far it is from the default branch.',
  keywords: ['all branches', 'which branches'],
  route: 'GET /repos/{owner}/{name}/branches',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name.' })),
    ...byPage(),
  }),
  output: ListOf(Branch),
  list: 'page',

  handler: async ({ hearth, db, repo }, { q, ...paging }) => {
    const window = windowOf(paging)
    const row = requireRepo(db, repo.id)
    const refs = listRefsBelow(db, repo.id, 'refs/heads', {
      q: q || undefined,
      first: branchRef(row.default_branch),
      limit: window.limit + 1,
      offset: window.offset,
    })
    const people = commitPersonLookup(hearth)
    const { items, ...rest } = pageOf(refs, window)
    const branches = items.map(({ name }) => branchOf(name) ?? '')
    const pulls = pullsOfBranches(db, repo.id, branches)
    return {
      items: await Promise.all(items.map((ref) => branchRecord(hearth, row, ref, people, pulls))),
      ...rest,
    }
  },
})
