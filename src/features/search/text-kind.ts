/** What a file's content says of it: whether it is text, and whether a tool wrote it. */

/** As git looks for it: a zero byte near the beginning (git's buffer_is_binary). */
const LOOKED_AT = 8_000

export const isBinary = (data: Uint8Array): boolean => data.subarray(0, LOOKED_AT).includes(0)

const SAID_BY_TOOLS =
  /@generated\b|\bDO NOT EDIT\b|\bautomatically generated\b|\bauto-?generated (?:by|file)\b/i
const SAID_WITHIN = 1_500

/**
 * Whether a tool wrote it, by its own word near the beginning, or by lines that no person would
 * write.
 */
export function readsGenerated(text: string): boolean {
  if (SAID_BY_TOOLS.test(text.slice(0, SAID_WITHIN))) return true
  if (text.length < 10_000) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return text.length / lines > 400
}
