/** The versions of an advisory as intervals, which each client writes in a way of its own. */
import type { Ecosystem } from '../lock-files/locked-packages.ts'
import { sortedEvents, type AffectedVersions } from './osv.ts'

export type Interval = {
  /** Included; null for the beginning. */
  readonly from: string | null
  /** Null for no end. */
  readonly to: string | null
  readonly isToIncluded: boolean
}

function intervalsOfRange(ecosystem: Ecosystem, events: AffectedVersions['ranges'][number]) {
  const intervals: Interval[] = []
  let from: string | null | undefined
  for (const { kind, version } of sortedEvents(ecosystem, events)) {
    if (kind === 'introduced') {
      if (from === undefined) from = version === '0' ? null : version
    } else if (from !== undefined) {
      intervals.push({ from, to: version, isToIncluded: kind === 'last_affected' })
      from = undefined
    }
  }
  if (from !== undefined) intervals.push({ from, to: null, isToIncluded: false })
  return intervals
}

export const intervalsOf = (
  ecosystem: Ecosystem,
  { ranges, versions }: AffectedVersions,
): Interval[] => [
  ...ranges.flatMap((events) => intervalsOfRange(ecosystem, events)),
  ...versions.map((version) => ({ from: version, to: version, isToIncluded: true })),
]

/** As npm writes ranges: `>=1.0.0 <1.2.3 || 2.0.0`; Composer has other signs between the parts. */
export const comparatorText = (
  intervals: readonly Interval[],
  signs: { readonly and: string; readonly or: string } = { and: ' ', or: ' || ' },
): string =>
  intervals
    .map(({ from, to, isToIncluded }) => {
      if (from !== null && from === to) return from
      const parts = [
        ...(from === null ? [] : [`>=${from}`]),
        ...(to === null ? [] : [`${isToIncluded ? '<=' : '<'}${to}`]),
      ]
      return parts.length === 0 ? '*' : parts.join(signs.and)
    })
    .join(signs.or)

/** As NuGet writes ranges: `[1.0.0, 1.2.3)`. */
export const nugetRange = ({ from, to, isToIncluded }: Interval): string =>
  from !== null && from === to
    ? `[${from}]`
    : `${from === null ? '(' : `[${from}`}, ${to ?? ''}${isToIncluded ? ']' : ')'}`
