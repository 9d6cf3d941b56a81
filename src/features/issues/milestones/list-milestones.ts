import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { StateFilter } from '../inputs.ts'
import { milestoneRecord } from './milestone-record.ts'
import { Milestone } from '../schema.ts'
import { listMilestoneRows } from './store-milestones.ts'

export const listMilestones = operation({
  name: 'list_milestones',
  summary:
    'List the milestones of a repository, newest first, each with how many of its issues are open and closed.',
  keywords: ['all milestones', 'sprints', 'roadmap'],
  route: 'GET /repos/{owner}/{name}/milestones',
  toolset: 'issues',
  listed: 'default',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(StateFilter),
    q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the title.' })),
    ...byPage(),
  }),
  output: ListOf(Milestone),
  list: 'page',

  handler: ({ db, repo }, { state = 'open', q = '', ...paging }) => {
    const window = windowOf(paging)
    return pageOf(
      listMilestoneRows(
        db,
        { repo_id: repo.id, state, q: q.trim() },
        window.limit + 1,
        window.offset,
      ).map(milestoneRecord),
      window,
    )
  },
})
