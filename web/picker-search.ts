/**
 * How forms send the search of a picker that is in them. Its button sends the key of the picker. The Enter key presses
 * the first button of a form, in whatever field it is pressed: that button says so, and each search says what it was
 * shown with. A search with another text is then what was meant.
 */
import type { Fields } from './site.ts'

/** The field with the key of the picker whose search was sent. */
export const FIND_FIELD = 'find'
/** The field of the button that the Enter key presses. */
export const ENTER_FIELD = 'enter'

/** The field with the text of the search, and the one with the text that it was shown with. */
export const findFieldOf = (key: string): string => `${FIND_FIELD}-${key}`
export const foundFieldOf = (key: string): string => `found-${key}`

/** The fields of a form that was sent for a search. Null when the form itself was sent. */
export function searchFields(fields: Fields): Fields | null {
  if (fields.has(FIND_FIELD)) return fields
  if (!fields.has(ENTER_FIELD)) return null
  const prefix = foundFieldOf('')
  const key = fields
    .names()
    .flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    .find((one) => fields.text(findFieldOf(one)).trim() !== fields.text(foundFieldOf(one)))
  return key === undefined ? null : fields.with(FIND_FIELD, key)
}
