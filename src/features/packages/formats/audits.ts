/** Known vulnerabilities of packages, for clients that audit what they installed. */
import type { Hearth } from '#core/hearth.ts'
import { packageAdvisories, type PackageAdvisory } from '#features/repos/index.ts'
import { affectedFinder } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { DoorRequest } from '../door/door-request.ts'

/** Further names of one audit are not looked up. */
const MAX_PACKAGES = 20_000
/** Further versions of one audit are not compared; a name seldom has more than two of them. */
const MAX_VERSIONS = 50_000
const NAMES_PER_QUERY = 500
/** Comparisons of one turn of the event loop, which take a few milliseconds. */
const COMPARISONS_PER_TURN = 2_000

/** The workspace of a registry, whose own advisories count too; null for one that is gone. */
export const workspaceIdOf = (hearth: Hearth, { workspace, caller }: DoorRequest): string | null =>
  hearth.facts.workspace(workspace, caller)?.id ?? null

/** The advisories of packages by their name, in queries of bounded size. */
export async function advisoriesOf(
  hearth: Hearth,
  workspace_id: string | null,
  ecosystem: Ecosystem,
  names: readonly string[],
): Promise<Map<string, PackageAdvisory[]>> {
  const found = new Map<string, PackageAdvisory[]>()
  const wanted = names.slice(0, MAX_PACKAGES)
  for (let at = 0; at < wanted.length; at += NAMES_PER_QUERY) {
    if (at > 0) await nextTurn()
    const slice = wanted.slice(at, at + NAMES_PER_QUERY)
    for (const { list } of packageAdvisories.all(hearth))
      for (const advisory of list(hearth.db, ecosystem, slice, workspace_id)) {
        const known = found.get(advisory.name)
        if (known) known.push(advisory)
        else found.set(advisory.name, [advisory])
      }
  }
  return found
}

/** The advisories that concern some versions of packages, each with the versions. */
export async function findConcerning(
  hearth: Hearth,
  workspace_id: string | null,
  ecosystem: Ecosystem,
  versions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<{ advisory: PackageAdvisory; versions: ReadonlySet<string> }[]> {
  const concerning: { advisory: PackageAdvisory; versions: ReadonlySet<string> }[] = []
  let left = MAX_VERSIONS
  let comparisons = 0
  const found = await advisoriesOf(hearth, workspace_id, ecosystem, [...versions.keys()])
  for (const [name, advisories] of found) {
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
