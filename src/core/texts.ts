/**
 * Texts that people write in Markdown: descriptions, comments, reviews, release notes. Features
 * report each text that they store, so that a later feature can follow what the texts name.
 * Declared in core, because trunk features and leaves have such texts.
 */
import { internalEvent } from './events.ts'
import { Type } from './schema.ts'
import type { Tx } from './write.ts'

/** A text that names an attachment was stored. `text_id` is the id of the row with the text. */
export const textStored = internalEvent(
  'core.text_stored',
  Type.Object({ text_id: Type.String(), text: Type.String() }),
)

/** The part of an address that every link to an attachment has. */
const ATTACHMENT_LINK = '/attachments/att_'

/** Reports a new or changed text. Called in the transaction that stores it. */
export function reportText(tx: Tx, text_id: string, text: string): void {
  if (text.includes(ATTACHMENT_LINK)) tx.emit(textStored, { text_id, text })
}
