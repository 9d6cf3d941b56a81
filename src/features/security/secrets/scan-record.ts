/** A scan of the history as a record. */
import type { SecretScan } from './schema.ts'
import type { ScanRow } from './store.ts'

export const scanRecord = ({
  state,
  commits,
  alerts,
  created_at,
  finished_at,
}: ScanRow): SecretScan => ({ state, commits, alerts, created_at, finished_at })
