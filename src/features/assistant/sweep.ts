/** Deletes questions and summaries that are older than 30 days. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeSummariesBefore } from './store-summaries.ts'
import { removeQuestionsBefore } from './store.ts'

const KEPT_MS = 30 * DAY
const BATCH = 1_000

export const sweepQuestions = job<null>({
  kind: 'sweep_repo_questions',
  every: '1d',
  run: async ({ hearth, signal }) => {
    for (const remove of [removeQuestionsBefore, removeSummariesBefore])
      while (!signal.aborted) {
        const removed = await writeAs(hearth, null, (tx) =>
          remove(tx, timestamp(tx.now_ms - KEPT_MS), BATCH),
        )
        if (removed < BATCH) break
      }
  },
})
