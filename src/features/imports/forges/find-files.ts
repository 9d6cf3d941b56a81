/** Finds addresses of attached files in texts, in time that grows with the text alone. */
import type { ForeignFile } from './forge.ts'

/** Further files of one text stay links. */
const MAX_FILES = 100
/** What may stand before an address that begins at the root. */
const OPENING = new Set(['(', '"', "'", '<', ' ', '\n', '\t', '='])

/** A form of addresses: something before, the mark, and what identifies the file. */
export type FileForm = {
  readonly mark: string
  /** Sticky, matched after the mark. The group `name` is the name of the file, where it has one. */
  readonly rest: RegExp
  /** What may stand before the mark; '' for an address that begins at the root. */
  readonly bases: readonly string[]
  readonly urlsOf: (base: string, rest: string) => readonly string[]
}

export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** The name of a file at the end of an address. */
export const NAME = '(?<name>[^\\s()<>"\'\\]\\\\?#]{1,255})'

const decoded = (name: string | undefined): string | null => {
  if (name === undefined) return null
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The longest base that stands before `at`; null when none does. */
function baseBefore(text: string, at: number, bases: readonly string[]): string | null {
  for (const base of bases) {
    const start = at - base.length
    if (base !== '' && start >= 0 && text.startsWith(base, start)) return base
  }
  const isAtRoot = at === 0 || OPENING.has(text[at - 1] ?? '')
  return bases.includes('') && isAtRoot ? '' : null
}

export function findFiles(text: string, forms: readonly FileForm[]): ForeignFile[] {
  const found = new Map<string, ForeignFile>()
  for (const { mark, rest, bases, urlsOf } of forms) {
    const pattern = new RegExp(rest, 'iy')
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      if (found.size >= MAX_FILES) return [...found.values()]
      const base = baseBefore(text, at, bases)
      pattern.lastIndex = at + mark.length
      const match = base === null ? null : pattern.exec(text)
      if (base === null || match === null) continue
      const link = `${base}${mark}${match[0]}`
      const name = decoded(match.groups?.name)
      found.set(link, { link, name, urls: urlsOf(base, match[0]) })
    }
  }
  return [...found.values()]
}
