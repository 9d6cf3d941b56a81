import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, RepoPath, Type } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { milestoneId } from './require-records.ts'
import { StateFilter } from './inputs.ts'
import { issueRecords } from './issue-record.ts'
import { Issue } from './schema.ts'
import { countIssues, listIssueNumbers, searchWords } from './store-issue-list.ts'
import { issuesByNumber } from './store-issues.ts'
import { findLabel } from './labels/store-labels.ts'
import { inList, issuePointers } from './untrusted-texts.ts'

/** One name, several names separated by commas, or an array. */
const Labels = Type.Union(
  [Type.String({ maxLength: 1000 }), Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })],
  {
    description: 'Labels that must all be on it.',
  },
)

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
    label: Type.Optional(Labels),
    assignee: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, description: 'A username.' }),
    ),
    author: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, description: 'A username.' }),
    ),
    milestone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'The id or title of a milestone.' }),
    ),
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Words that title and body must have.' }),
    ),
    sort: Type.Optional(
      OneOf(['created', 'updated', 'comments'], {
        description: 'The greatest first; created unless given.',
      }),
    ),
    ...byPage(),
  }),
  output: ListOf(Issue),
  untrusted: inList(issuePointers),
  list: 'page',

  handler: (
    { hearth, db, repo },
    { state = 'open', sort = 'created', label = [], assignee, author, milestone, q, ...paging },
  ) => {
    const window = windowOf(paging)
    const names = (typeof label === 'string' ? [label] : label)
      .flatMap((text) => text.split(','))
      .map((name) => name.trim())
    const labels = names.filter((name) => name !== '').map((name) => findLabel(db, repo.id, name))
    const people = (username: string | undefined) =>
      username === undefined ? null : listActorIds(db, username)
    const assignee_ids = people(assignee)
    const author_ids = people(author)
    const milestone_id = milestone === undefined ? null : milestoneId(db, repo.id, milestone)
    const words = q === undefined || q.trim() === '' ? null : searchWords(q)
    const nothing = [assignee_ids, author_ids, words].some((wanted) => wanted?.length === 0)
    if (nothing || labels.includes(null) || (milestone !== undefined && milestone_id === null))
      return pageOf<Issue>([], window, 0)

    const rarestFirst = labels
      .filter((row) => row !== null)
      .sort((a, b) => a.issues_count - b.issues_count)
    const label_ids = [...new Set(rarestFirst.map((row) => row.id))]
    const filter = {
      repo_id: repo.id,
      state,
      sort,
      label_ids,
      assignee_ids,
      author_ids,
      milestone_id,
      words,
    }
    const total = words ? undefined : countIssues(db, filter)
    const numbers = listIssueNumbers(db, filter, window.limit + 1, window.offset)
    return pageOf(issueRecords(hearth, issuesByNumber(db, repo.id, numbers)), window, total)
  },
})
