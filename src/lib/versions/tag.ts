/**
 * Orders tags by semantic version (https://semver.org, section 11), accepting common deviations.
 */

type Version = { readonly numbers: readonly number[]; readonly prerelease: readonly string[] }

/** Parses `v1.2.3-rc.1` and `app-2.0` alike; null for a tag without a number. */
export function parseTagVersion(tag: string): Version | null {
  const [, numbers, rest = ''] =
    /(?:^|[^0-9A-Za-z.]|v)(\d{1,15}(?:\.\d{1,15})*)(?:[-._]?([0-9A-Za-z.-]+))?(?:\+.*)?$/i.exec(
      tag,
    ) ?? []
  if (numbers === undefined) return null
  return {
    numbers: numbers.split('.').map(Number),
    prerelease: rest === '' ? [] : rest.split(/[.-]/),
  }
}

const compareParts = (a: string, b: string): number => {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (left && right) return Number(a) - Number(b)
  if (left !== right) return left ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns a negative number when the first version is lower. */
export function compareTagVersions(a: Version, b: Version): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  // A prerelease is lower than its version.
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length
  for (let at = 0; at < Math.max(a.prerelease.length, b.prerelease.length); at++) {
    const [left, right] = [a.prerelease[at], b.prerelease[at]]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const difference = compareParts(left, right)
    if (difference !== 0) return difference
  }
  return 0
}
