/** Questions to agents: records, answers and expiry. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findEntry, findPull, sessionAsked } from '#features/pulls/index.ts'
import type { Question } from './schema.ts'
import { findQuestionAt, setAnswer, setExpired, type QuestionRow } from './store-questions.ts'

export const questionRecord = (hearth: Hearth, row: QuestionRow): Question => ({
  id: row.id,
  pull: row.number,
  seq: row.seq,
  from: actorOf(hearth, row.from_id),
  from_pull: row.from_pull,
  text: row.text,
  state: row.state,
  answer: row.answer,
  created_at: row.created_at,
  answered_at: row.answered_at,
})

/**
 * An entry that refers to the question answers it. Anyone who may write in the session can answer.
 */
export const recordAnswers = handler(
  'questions to agents are answered',
  sessionAsked,
  (tx, { repo_id, number, kind, seq, data }) => {
    const pull =
      kind === 'answer' && typeof data.of === 'number' ? findPull(tx.db, repo_id, number) : null
    const question = pull && findQuestionAt(tx.db, pull.id, Number(data.of))
    if (question) setAnswer(tx, question.id, findEntry(tx.db, question.pull_id, seq)?.text ?? '')
  },
)

export const sweepQuestions = job<null>({
  kind: 'sweep_agent_questions',
  every: '1h',
  run: ({ hearth }) => writeAs(hearth, null, setExpired),
})
