/** Forms of texts in which memories are compared. */

/** The form in which equal texts are one memory: case and runs of spaces do not matter. */
export const foldText = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** The words of a text for matching, without accents. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const plain = /^[\x00-\x7f]*$/.test(lower)
    ? lower
    : lower.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.match(/[\p{L}\p{N}_]+/gu) ?? []
}
