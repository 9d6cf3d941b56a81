import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { StateFilter } from './inputs.ts'
import { issueRecords } from './issue-record.ts'
import { recordFilterInputs, resolveRecordFilter } from './record-filter.ts'
import { Issue } from './schema.ts'
import { countListed, listRecordNumbers, type RecordFilter } from './store-record-list.ts'
import { issuesByNumber } from './store-issues.ts'
import { inList, issuePointers } from './untrusted-texts.ts'

export const listIssues = operation({
  name: 'list_issues',
  summary:
    'List issues of a repository that you can see, newest first; open ones unless state says otherwise. Each shows the pull requests made for it.',
  keywords: [
    'open bugs',
    'tickets',
    'backlog',
    'my issues',
    'issues assigned to me',
    'all issues',
    'todo',
    'bugs with a label',
  ],
  route: 'GET /v1/repos/{owner}/{name}/issues',
  toolset: 'issues',
  listed: 'core',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(StateFilter),
    author: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, description: 'A username.' }),
    ),
    ...recordFilterInputs,
    ...byPage(),
  }),
  output: ListOf(Issue),
  untrusted: inList(issuePointers),
  list: 'page',

  handler: ({ hearth, db, repo }, { state = 'open', ...given }) => {
    const window = windowOf(given)
    const resolved = resolveRecordFilter(db, repo.id, given)
    if (resolved === null) return pageOf<Issue>([], window, 0)
    const filter: RecordFilter = { ...resolved, kind: 'issue', state, joined: null }
    const total = countListed(db, filter)
    const numbers = listRecordNumbers(db, filter, window.limit + 1, window.offset, total)
    return pageOf(issueRecords(hearth, issuesByNumber(db, repo.id, numbers)), window, total)
  },
})
