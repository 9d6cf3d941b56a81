import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { labelRecord } from './label-record.ts'
import { Label } from '../schema.ts'
import { countLabels, listLabelRows } from './store-labels.ts'

const PAGE_SIZES = { size: 100 }

export const listLabels = operation({
  name: 'list_labels',
  summary:
    'List the labels of a repository, sorted by name, each with how many open issues carry it.',
  keywords: ['all labels', 'which labels'],
  route: 'GET /v1/repos/{owner}/{name}/labels',
  toolset: 'issues',
  listed: 'default',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the name.' })),
    ...byPage(PAGE_SIZES),
  }),
  output: ListOf(Label),
  list: 'page',

  handler: ({ db, repo }, { q = '', ...paging }) => {
    const window = windowOf(paging, PAGE_SIZES)
    const part = q.trim()
    return pageOf(
      listLabelRows(db, repo.id, window.limit, window.offset, part).map(labelRecord),
      window,
      countLabels(db, repo.id, part),
    )
  },
})
