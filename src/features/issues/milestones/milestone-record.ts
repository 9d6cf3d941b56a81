/** Milestones as records, and their inputs. */
import { Nullable, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { parseTimestamp, type Timestamp } from '#lib/time.ts'
import type { Milestone } from '../schema.ts'
import type { CountedMilestoneRow } from './store-milestones.ts'

export const MilestoneTitle = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The goal in one line.',
})
export const MilestoneDescription = Nullable(
  Type.String({ maxLength: 65_536, description: 'Markdown.' }),
)
export const DueOn = Nullable(
  Type.String({ maxLength: 50, description: 'A date-time as in RFC 3339.' }),
)

export const milestoneRecord = (row: CountedMilestoneRow): Milestone => ({
  id: row.id,
  title: row.title,
  description: row.description,
  state: row.state,
  due_on: row.due_on,
  open_count: row.open_count,
  closed_count: row.closed_count,
  created_at: row.created_at,
  closed_at: row.closed_at,
})

/** Throws 422 for a text that is not a date-time. */
export function dueOn(text: string | null): Timestamp | null {
  if (text === null) return null
  const time = parseTimestamp(text)
  if (time === null)
    throw invalid('due_on', 'due_on must be a date-time such as 2026-01-31T23:59:59Z')
  return time
}
