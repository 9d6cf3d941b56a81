/** Detects binary and generated files by their content. */

/** Git looks for a NUL byte near the beginning (`buffer_is_binary`). */
const BINARY_CHECK_BYTES = 8_000

export const isBinary = (data: Uint8Array): boolean =>
  data.subarray(0, BINARY_CHECK_BYTES).includes(0)

const GENERATED_MARKER =
  /@generated\b|\bDO NOT EDIT\b|\bautomatically generated\b|\bauto-?generated (?:by|file)\b/i
const MARKER_SEARCH_LENGTH = 1_500

/** Whether a tool generated the text: by a marker near the beginning, or by very long lines. */
export function looksGenerated(text: string): boolean {
  if (GENERATED_MARKER.test(text.slice(0, MARKER_SEARCH_LENGTH))) return true
  if (text.length < 10_000) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return text.length / lines > 400
}
