/**
 * Takes the write-ahead log over into the database file, as far as nobody reads what would be
 * overwritten; see `wal.ts`.
 */
import { checkpoint } from './db.ts'
import type { CheckpointAsked, CheckpointTold } from './wal.ts'

declare const self: {
  onmessage: ((event: MessageEvent<CheckpointAsked>) => void) | null
  postMessage(told: CheckpointTold): void
}

self.onmessage = ({ data }) => {
  let error: string | null = null
  try {
    checkpoint(data.path)
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown)
  }
  self.postMessage({ error })
}
