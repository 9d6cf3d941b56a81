/**
 * Which of several tags is the highest version, by the order of semantic versions
 * (https://semver.org, section 11), read with forbearance.
 */

type Version = { readonly numbers: readonly number[]; readonly before: readonly string[] }

/** `v1.2.3-rc.1` and `app-2.0` alike; null for a tag without a number. */
export function versionOf(tag: string): Version | null {
  const [, numbers, rest = ''] =
    /(?:^|[^0-9A-Za-z.]|v)(\d{1,15}(?:\.\d{1,15})*)(?:[-._]?([0-9A-Za-z.-]+))?(?:\+.*)?$/i.exec(
      tag,
    ) ?? []
  if (numbers === undefined) return null
  return { numbers: numbers.split('.').map(Number), before: rest === '' ? [] : rest.split(/[.-]/) }
}

const compareParts = (a: string, b: string): number => {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (left && right) return Number(a) - Number(b)
  if (left !== right) return left ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Below zero when the first is the lower one. */
export function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  // What comes before a version is lower than the version itself.
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length
  for (let at = 0; at < Math.max(a.before.length, b.before.length); at++) {
    const [left, right] = [a.before[at], b.before[at]]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const difference = compareParts(left, right)
    if (difference !== 0) return difference
  }
  return 0
}
