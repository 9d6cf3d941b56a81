/** Known vulnerabilities of packages, for clients that audit what they installed. */
import type { Hearth } from '#core/hearth.ts'
import { packageAdvisories, type PackageAdvisory } from '#features/repos/index.ts'
import { affectedFinder } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import { nextTurn } from '#lib/waiting.ts'

/** Further names of one audit are not looked up. */
const MAX_PACKAGES = 20_000
/** Further versions of one audit are not compared; a name seldom has more than two of them. */
const MAX_VERSIONS = 50_000
const NAMES_PER_QUERY = 500
/** Comparisons of one turn of the event loop, which take a few milliseconds. */
const COMPARISONS_PER_TURN = 2_000

/** The advisories of packages by their name, in queries of bounded size. */
export async function advisoriesOf(
  hearth: Hearth,
  ecosystem: Ecosystem,
  names: readonly string[],
): Promise<Map<string, PackageAdvisory[]>> {
  const found = new Map<string, PackageAdvisory[]>()
  const wanted = names.slice(0, MAX_PACKAGES)
  for (let at = 0; at < wanted.length; at += NAMES_PER_QUERY) {
    if (at > 0) await nextTurn()
    for (const list of packageAdvisories.all(hearth))
      for (const advisory of list(hearth.db, ecosystem, wanted.slice(at, at + NAMES_PER_QUERY))) {
        const known = found.get(advisory.name)
        if (known) known.push(advisory)
        else found.set(advisory.name, [advisory])
      }
  }
  return found
}

/** All advisories of an ecosystem. */
export const allAdvisories = (hearth: Hearth, ecosystem: Ecosystem): PackageAdvisory[] =>
  packageAdvisories.all(hearth).flatMap((list) => list(hearth.db, ecosystem, null))

/** The advisories that concern some versions of packages, each with the versions. */
export async function findConcerning(
  hearth: Hearth,
  ecosystem: Ecosystem,
  versions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<{ advisory: PackageAdvisory; versions: ReadonlySet<string> }[]> {
  const concerning: { advisory: PackageAdvisory; versions: ReadonlySet<string> }[] = []
  let left = MAX_VERSIONS
  let comparisons = 0
  for (const [name, advisories] of await advisoriesOf(hearth, ecosystem, [...versions.keys()])) {
    const given = [...(versions.get(name) ?? [])].slice(0, left)
    left -= given.length
    for (const advisory of advisories) {
      const find = affectedFinder(ecosystem, advisory.affected)
      const affected = new Set(given.filter((version) => find(version) !== null))
      if (affected.size > 0) concerning.push({ advisory, versions: affected })
      comparisons += given.length + 1
      if (comparisons < COMPARISONS_PER_TURN) continue
      comparisons = 0
      await nextTurn()
    }
  }
  return concerning
}
