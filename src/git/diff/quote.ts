/**
 * Quotes paths in patches as C strings where they contain unusual bytes (`core.quotePath`, on by
 * default).
 */
import type { PathKey } from '../history/names.ts'

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

const escape = (char: string): string =>
  NAMED[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`

const UNUSUAL = /[\0-\x1f"\\\x7f-\xff]/g

/** The path with its prefix (`a/`, `b/`), quoted when needed. Always ASCII. */
export function quotePath(path: PathKey, prefix = ''): string {
  const whole = prefix + path
  const quoted = whole.replace(UNUSUAL, escape)
  return quoted === whole ? whole : `"${quoted}"`
}
