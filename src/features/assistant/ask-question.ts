import { writesRepoAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notBlank, refuseFork } from '#features/issues/index.ts'
import { requireRoute } from '#features/models/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import { answerQuestion } from './answer-question.ts'
import { ANSWER_SCOPES } from './inputs.ts'
import { questionRecord, requireQuestion, untrustedAnswer } from './question-record.ts'
import { MAX_ANSWERING, MAX_QUESTION_CHARS, RepoQuestion } from './schema.ts'
import { countAnswering, insertQuestion } from './store.ts'

export const askQuestion = operation({
  name: 'ask_question',
  summary:
    'Ask a question about a repository. A model searches and reads with your rights, and every citation of its answer is checked. Answers at once; get_question says when it is answered. For members of the workspace and those with Write; people only. Kept for 30 days.',
  keywords: ['how does it work', 'where is it implemented', 'ask the code', 'explain the code'],
  route: 'POST /repos/{owner}/{name}/questions',
  toolset: 'code',
  access: writesRepoAsPerson('read', { scope: ANSWER_SCOPES, whileArchived: true }),
  input: Type.Object({
    repo: RepoPath,
    question: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARS }),
  }),
  output: RepoQuestion,
  status: 202,
  untrusted: untrustedAnswer,

  handler: ({ db, repo, caller, write }, { question }) => {
    refuseFork(repo)
    if (repo.workspace_role === null && !repo.can('write'))
      throw forbidden('members_only', 'members of the workspace and those with Write may ask')
    const text = notBlank('question', question)
    requireRoute(db, repo.workspace_id, 'assistant')
    return write((tx) => {
      const asked = { repo_id: repo.id, asked_by: caller.id }
      if (countAnswering(tx.db, asked) >= MAX_ANSWERING)
        throw conflict(
          'limit_reached',
          `${MAX_ANSWERING} of your questions are being answered: wait for one of them`,
        )
      const id = typeId('ask', tx.now_ms)
      insertQuestion(tx, { ...asked, id, question: text })
      tx.enqueue(answerQuestion, { question_id: id })
      return questionRecord(repo, requireQuestion(tx.db, repo.id, caller, id))
    })
  },
})
