/** Known vulnerabilities of packages, for clients that audit what they installed. */
import type { Hearth } from '#core/hearth.ts'
import { packageAdvisories, type PackageAdvisory } from '#features/repos/index.ts'
import { findAffected } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'

const MAX_PACKAGES = 20_000

/** The advisories of packages by their name. Only the first 20,000 names are looked up. */
export function advisoriesOf(
  hearth: Hearth,
  ecosystem: Ecosystem,
  names: readonly string[],
): Map<string, PackageAdvisory[]> {
  const found = new Map<string, PackageAdvisory[]>()
  const wanted = names.slice(0, MAX_PACKAGES)
  for (const list of packageAdvisories.all(hearth))
    for (const advisory of list(hearth.db, ecosystem, wanted))
      found.set(advisory.name, [...(found.get(advisory.name) ?? []), advisory])
  return found
}

/** All advisories of an ecosystem. */
export const allAdvisories = (hearth: Hearth, ecosystem: Ecosystem): PackageAdvisory[] =>
  packageAdvisories.all(hearth).flatMap((list) => list(hearth.db, ecosystem, null))

/** Those that concern one of some versions. */
export const concerning = (
  ecosystem: Ecosystem,
  advisories: readonly PackageAdvisory[],
  versions: readonly string[],
): PackageAdvisory[] =>
  advisories.filter(({ affected }) =>
    versions.some((version) => findAffected(ecosystem, version, affected) !== null),
  )
