/** The thread that derives keys from passwords (`password-thread.ts`). */
import { pbkdf2Sync } from 'node:crypto'
import type { Derivation } from './password-thread.ts'
import { lowerThreadPriority, NICENESS } from '../threads/thread.ts'
import { serveRequests } from '../threads/worker-requests.ts'

lowerThreadPriority(NICENESS.untrusted)

serveRequests(
  ({ password, salt, rounds, bytes }: Derivation): Uint8Array =>
    pbkdf2Sync(password, salt, rounds, bytes, 'sha256'),
)
