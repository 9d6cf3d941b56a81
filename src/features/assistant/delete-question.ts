import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { QuestionId } from './inputs.ts'
import { requireQuestion } from './question-record.ts'
import { removeQuestion } from './store.ts'

export const deleteQuestion = operation({
  name: 'delete_question',
  summary: 'Delete a question that you asked, and its answer. People only. The answer is empty.',
  keywords: ['forget a question'],
  route: 'DELETE /repos/{owner}/{name}/questions/{question}',
  toolset: 'code',
  access: writesRepoAsPerson('read', { scope: 'code:read', whileArchived: true }),
  input: Type.Object({ repo: RepoPath, question: QuestionId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, caller, write }, { question }) =>
    write((tx) => {
      removeQuestion(tx, requireQuestion(tx.db, repo.id, caller, question).id)
      return null
    }),
})
