import type { RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { isTypeId } from '#core/ids.ts'
import { notFound } from '#lib/errors.ts'
import type { Citation, RepoQuestion } from './schema.ts'
import { findQuestion, type QuestionRow } from './store.ts'

/** Throws 404, also for questions of others: an answer shows what its person may see. */
export function requireQuestion(
  db: Db,
  repo_id: string,
  caller: Exclude<Caller, { kind: 'anonymous' }>,
  id: string,
): QuestionRow {
  const row = isTypeId(id, 'ask') ? findQuestion(db, id) : null
  if (row?.repo_id !== repo_id || row.asked_by !== caller.id) throw notFound(`the question ${id}`)
  return row
}

export const questionRecord = (
  { full_name }: Pick<RepoGrant, 'full_name'>,
  row: QuestionRow,
): RepoQuestion => ({
  id: row.id,
  repo: full_name,
  question: row.question,
  status: row.status,
  answer: row.answer,
  citations: JSON.parse(row.citations) as Citation[],
  dropped: row.dropped,
  steps: JSON.parse(row.steps) as string[],
  error:
    row.error_code === null
      ? null
      : { code: row.error_code, message: row.error_message ?? row.error_code },
  cost_usd: row.cost === null ? null : row.cost / 1_000_000,
  created_at: row.created_at,
  answered_at: row.answered_at,
})

/** What a model writes is data: it read texts of anybody. */
export const untrustedAnswer = ({ answer }: RepoQuestion): string[] =>
  answer === null ? [] : ['/answer']
