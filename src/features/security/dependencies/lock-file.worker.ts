/** The thread that reads lock files, because strangers write them. */
import { LockFileFault } from '#lib/lock-files/locked-packages.ts'
import {
  readLockFile,
  type LockFileSource,
  type ReadLockFile,
} from '#lib/lock-files/read-lock-file.ts'
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'

export type LockFileResponse = ReadLockFile | { readonly fault: string }

lowerThreadPriority(NICENESS.untrusted)

serveRequests((source: LockFileSource): LockFileResponse => {
  try {
    return readLockFile(source)
  } catch (error) {
    if (error instanceof LockFileFault) return { fault: error.message }
    throw error
  }
})
