import type { Caller } from '#core/caller.ts'
import type { Reader } from './store.ts'

/** A caller as a reader of the attachments of one repository. */
export const readerOf = (caller: Caller, canWrite: boolean): Reader => ({
  id: caller.kind === 'anonymous' ? null : caller.id,
  person_id: caller.kind === 'user' ? caller.id : caller.kind === 'agent' ? caller.owner_id : null,
  canWrite,
})
