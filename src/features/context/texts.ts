/** Texts as a summary shows them. */

/** One line of a text, cut without splitting a character. */
export function oneLineOf(text: string, maxChars: number): string {
  const line = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= maxChars
    ? line
    : `${line.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

export const joined = (parts: readonly { readonly text: string }[]): string =>
  parts.map(({ text }) => text).join('')
