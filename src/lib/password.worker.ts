/** The thread that derives keys from passwords (`password-thread.ts`). */
import { pbkdf2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import type { Derivation } from './password-thread.ts'
import { serveRequests } from './worker-requests.ts'

/** The lowest priority: a small share of the processor under full load. */
const LOWEST_PRIORITY = 19

// On Linux each thread has a priority, and 0 is the calling thread (setpriority(2), notes). On
// other systems it would be that of the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(0, LOWEST_PRIORITY)
  } catch {
    // The thread keeps the normal priority.
  }
}

serveRequests(
  ({ password, salt, rounds, bytes }: Derivation): Uint8Array =>
    pbkdf2Sync(password, salt, rounds, bytes, 'sha256'),
)
