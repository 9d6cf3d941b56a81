/**
 * Background jobs as administrators see them. The input of a job is not shown, because it may name
 * users.
 */
import type { JobRow } from '#core/jobs.ts'
import { timestamp } from '#lib/time.ts'
import type { BackgroundJob } from './schema.ts'

export const jobRecord = ({
  id,
  kind,
  state,
  attempt,
  run_at,
  error,
  created_at,
  updated_at,
}: JobRow): BackgroundJob => ({
  id,
  kind,
  state,
  attempt,
  run_at: timestamp(run_at),
  error,
  created_at,
  updated_at,
})
