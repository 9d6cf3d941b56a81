import { call } from '#core/operation.ts'
import { getPull } from '#features/pulls/index.ts'
import type { Citation, SessionSummary } from './schema.ts'
import { conversationHash, hasGrown, type Reading } from './session-text.ts'
import type { SummaryRow } from './store-summaries.ts'

/** Whether what was summarized is still all there is. Throws 404 for those who may not read it. */
export async function isCurrent(reading: Reading, row: SummaryRow): Promise<boolean> {
  const { hearth, caller, repo, number } = reading
  if (await hasGrown(reading, row.last_seq)) return false
  const pull = await call(hearth, getPull, caller, { repo, number })
  return conversationHash(pull) === row.conversation
}

/** The text of an outdated summary is not given, because what it quotes may be deleted. */
export const summaryRecord = (
  { repo, number }: Pick<Reading, 'repo' | 'number'>,
  row: SummaryRow,
  outdated: boolean,
): SessionSummary => ({
  repo,
  number,
  status: outdated ? 'outdated' : row.status,
  summary: outdated ? null : row.summary,
  citations: outdated ? [] : (JSON.parse(row.citations) as Citation[]),
  dropped: outdated ? 0 : row.dropped,
  entries: row.last_seq,
  error:
    row.error_code === null
      ? null
      : { code: row.error_code, message: row.error_message ?? row.error_code },
  cost_usd: row.cost === null ? null : row.cost / 1_000_000,
  created_at: row.created_at,
  ended_at: row.ended_at,
})

/** What a model writes is data: it read texts of anybody. */
export const untrustedSummary = ({ summary }: SessionSummary): string[] =>
  summary === null ? [] : ['/summary']
