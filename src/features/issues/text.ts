/** Validates texts. All functions throw 422 at the field. */
import { invalid } from '#lib/errors.ts'

/** Control characters, and separators that some readers treat as line breaks. */
const BREAKS_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** One line, trimmed; lone surrogates are replaced. */
export function oneLine(field: string, text: string): string {
  const line = text.toWellFormed().trim()
  if (line === '') throw invalid(field, `${field} may not be empty`)
  if (BREAKS_LINE.test(line))
    throw invalid(field, `${field} must be one line without control characters`)
  return line
}

/** Text of any number of lines, empty or not. */
export function manyLines(field: string, text: string): string {
  if (text.includes('\0')) throw invalid(field, `${field} may not contain the character U+0000`)
  return text.toWellFormed()
}

export function notBlank(field: string, text: string): string {
  if (text.trim() === '') throw invalid(field, `${field} may not be empty`)
  return manyLines(field, text)
}

/** One line, or null for an empty one. */
export const optionalLine = (field: string, text: string | null): string | null =>
  text === null || text.trim() === '' ? null : oneLine(field, text)

export const validChecks = (checks: readonly string[]): string[] =>
  checks.map((command, at) => notBlank(`checks[${at}]`, command))

/** The key of a name. Names are compared in lower case, so `Bug` and `bug` are one label. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase()

export function labelName(field: string, text: string): string {
  const name = oneLine(field, text).normalize('NFC')
  if (name.includes(','))
    throw invalid(field, `a label's name may not contain a comma: ${JSON.stringify(name)}`)
  return name
}

/** Six lowercase hex digits, without a leading `#`. */
export function labelColor(text: string): string {
  const color = text.replace(/^#/, '').toLowerCase()
  if (!/^[0-9a-f]{6}$/.test(color))
    throw invalid('color', 'color must be six hex digits, such as d73a4a')
  return color
}
