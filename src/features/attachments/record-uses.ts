import { handler } from '#core/events.ts'
import { textStored } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import { fullName } from '#features/repos/index.ts'
import { reaches } from '#core/caller.ts'
import { readerOf } from './reader.ts'
import { findAttachment, insertUse, isVisible, type AttachmentRow } from './store.ts'

const LINK = /\/attachments\/(att_[0-7][0-9a-hjkmnp-tv-z]{25})/g
/** Further names in one text do not make attachments visible. */
const MAX_NAMED = 200

/**
 * Whether the writer of a text may show an attachment to its readers. Otherwise a link to a file in
 * a deleted comment would make it visible again.
 */
function mayName({ hearth, db, caller }: Tx, row: AttachmentRow): boolean {
  if (caller === null) return false
  const role = hearth.facts.repo(fullName(db, row.repo_id), caller)?.role ?? null
  return isVisible(db, row.id, readerOf(caller, reaches(role, 'write')))
}

/** Records which attachments a text names when it is stored. */
export const recordUses = handler('attachments', textStored, (tx, { text_id, text }) => {
  const named = new Set<string>()
  for (const [, id = ''] of text.matchAll(LINK)) if (named.size < MAX_NAMED) named.add(id)
  for (const id of named) {
    const row = findAttachment(tx.db, id)
    if (row && mayName(tx, row)) insertUse(tx, id, text_id)
  }
})
