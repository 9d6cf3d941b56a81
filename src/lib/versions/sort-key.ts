/**
 * Sort keys: texts of ASCII whose byte order is the order of versions, so that an index of the
 * database can hold it. Each part of a key ends by itself, so no part is a prefix of another one.
 */

/** Sorts below every character of a version. */
const TEXT_END = ' '

/** The key of a text without blanks. A text sorts below those that it begins. */
export const textKey = (text: string): string => `${text}${TEXT_END}`

/** The key of a number of any length, in decimal digits: first the count of digits. */
export function numberKey(digits: string): string {
  const significant = digits.replace(/^0+/, '')
  const count = significant.length
  return count < 9 ? `${count}${significant}` : `9${String(count).padStart(4, '0')}${significant}`
}

/** Compares two keys as the database does. */
export const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
