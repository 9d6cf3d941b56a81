import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { ANSWER_SCOPES } from './inputs.ts'
import { questionRecord } from './question-record.ts'
import { RepoQuestions } from './schema.ts'
import { countQuestions, listQuestionRows } from './store.ts'

export const listQuestions = operation({
  name: 'list_questions',
  summary:
    'List the questions that you asked about a repository in the last 30 days, newest first.',
  keywords: ['my questions', 'earlier answers'],
  route: 'GET /repos/{owner}/{name}/questions',
  toolset: 'code',
  access: readsRepo({ scope: ANSWER_SCOPES }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: RepoQuestions,
  list: 'page',
  untrusted: ({ items }) =>
    items.flatMap(({ answer }, at) => (answer === null ? [] : [`/items/${at}/answer`])),

  handler: ({ db, repo, caller }, paging) => {
    const window = windowOf(paging)
    const asked = { repo_id: repo.id, asked_by: caller.kind === 'anonymous' ? '' : caller.id }
    const rows = listQuestionRows(db, asked, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map((row) => questionRecord(repo, row)),
      window,
      countQuestions(db, asked),
    )
  },
})
