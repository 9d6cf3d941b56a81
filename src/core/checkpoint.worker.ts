/** The thread that runs checkpoints of the write-ahead log (`wal.ts`). */
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { checkpoint } from './db.ts'
import type { CheckpointRequest } from './wal.ts'

serveRequests(({ path }: CheckpointRequest): null => {
  checkpoint(path)
  return null
})
