/** Versions as people write them in advisories, such as `>= 1.0, < 1.4.2 || = 2.0.0`. */
import type { AffectedVersions, RangeEvent } from './osv.ts'

const CONSTRAINT = /^(>=|<=|==|>|<|=)?\s*v?([0-9A-Za-z][0-9A-Za-z.+_:~-]*)$/

/** The events of one part, a single version, or null for what cannot be read. */
function readPart(part: string): readonly RangeEvent[] | string | null {
  const events: RangeEvent[] = []
  for (const text of part.split(',')) {
    const [, operator = '=', version = ''] = CONSTRAINT.exec(text.trim()) ?? []
    if (version === '') return null
    if (operator === '=' || operator === '==') return part.includes(',') ? null : version
    // The format of OSV has no open beginning, so a version that is left out counts too.
    if (operator === '>=' || operator === '>') events.push(['introduced', version])
    else events.push([operator === '<' ? 'fixed' : 'last_affected', version])
  }
  const starts = events.filter(([kind]) => kind === 'introduced')
  if (starts.length > 1 || events.length - starts.length > 1) return null
  return starts.length === 0 ? [['introduced', '0'], ...events] : events
}

/** Null where nothing can be compared. `patched` ends a range that has no end. */
export function readAffectedRanges(text: string, patched: string | null): AffectedVersions | null {
  const ranges: RangeEvent[][] = []
  const versions: string[] = []
  for (const part of text.split('||')) {
    const read = readPart(part.trim())
    if (read === null) return null
    if (typeof read === 'string') versions.push(read)
    else ranges.push([...read])
  }
  for (const range of ranges)
    if (patched !== null && !range.some(([kind]) => kind === 'fixed' || kind === 'last_affected'))
      range.push(['fixed', patched])
  return { ranges, versions }
}
