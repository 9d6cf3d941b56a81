import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { ANSWER_SCOPES, QuestionId } from './inputs.ts'
import { questionRecord, requireQuestion, untrustedAnswer } from './question-record.ts'
import { RepoQuestion } from './schema.ts'

export const getQuestion = operation({
  name: 'get_question',
  summary: 'Get a question that you asked about a repository, with its answer and citations.',
  keywords: ['read the answer'],
  route: 'GET /repos/{owner}/{name}/questions/{question}',
  toolset: 'code',
  access: readsRepo({ scope: ANSWER_SCOPES }),
  input: Type.Object({ repo: RepoPath, question: QuestionId }),
  output: RepoQuestion,
  untrusted: untrustedAnswer,

  handler: ({ db, repo, caller }, { question }) => {
    if (caller.kind === 'anonymous') throw notFound(`the question ${question}`)
    return questionRecord(repo, requireQuestion(db, repo.id, caller, question))
  },
})
