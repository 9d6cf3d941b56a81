/** Labels as records. */
import type { Label } from '../schema.ts'
import type { LabelRow } from './store-labels.ts'

export const labelRecord = ({
  id,
  name,
  color,
  description,
  issues_count,
  created_at,
}: LabelRow): Label => ({
  id,
  name,
  color,
  description,
  issues_count,
  created_at,
})
