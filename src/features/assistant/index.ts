/** Questions about a repository, which a model answers with citations. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { answerQuestion } from './answer-question.ts'
import * as operations from './operations.ts'
import { removeQuestionsOfRepo } from './store.ts'
import { sweepQuestions } from './sweep.ts'

export { nextChange } from './changes.ts'
export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'assistant',
  operations: Object.values(operations),
  jobs: [answerQuestion, sweepQuestions] as Job[],
  extensions: [repoDataRemovers.with(removeQuestionsOfRepo)],
}
