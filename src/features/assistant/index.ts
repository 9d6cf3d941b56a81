/** Questions and summaries, which a model writes with citations. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { answerQuestion } from './answer-question.ts'
import * as operations from './operations.ts'
import { removeSummariesOfRepo } from './store-summaries.ts'
import { removeQuestionsOfRepo } from './store.ts'
import { summarizeSession } from './summarize-session.ts'
import { sweepQuestions } from './sweep.ts'

export { nextChange } from './changes.ts'
export { nextSummaryChange } from './summarize-session.ts'
export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'assistant',
  operations: Object.values(operations),
  jobs: [answerQuestion, summarizeSession, sweepQuestions] as Job[],
  extensions: [
    repoDataRemovers.with(removeQuestionsOfRepo),
    repoDataRemovers.with(removeSummariesOfRepo),
  ],
}
