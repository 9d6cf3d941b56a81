/** Compares the packages of lock files with advisories. */
import type { Db } from '#core/db.ts'
import { comparedName, findAffected } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { Dependency } from './schema.ts'
import { listAdvisoriesOf, type AdvisoryMatch } from './store-advisories.ts'
import { severityRank, type Finding } from './store-alerts.ts'

/** Names of one query. */
const NAMES_PER_QUERY = 500
/** A repository with more has the others left out, the least severe first. */
export const MAX_FINDINGS = 5_000

type Match = AdvisoryMatch & { readonly fixed_in: string | null }

/** Advisories of one fault: they name each other, or the same alias. */
function withoutDuplicates(matches: readonly Match[]): Match[] {
  const preferred = [...matches].sort(
    (a, b) =>
      severityRank(a.severity) - severityRank(b.severity) ||
      Number(b.id.startsWith('GHSA-')) - Number(a.id.startsWith('GHSA-')) ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  )
  const seen = new Map<string, Match & { aliases: string[] }>()
  const kept: (Match & { aliases: string[] })[] = []
  for (const match of preferred) {
    const names = [match.id, ...match.aliases]
    const known = names.map((name) => seen.get(name)).find((one) => one !== undefined)
    const group = known ?? { ...match, aliases: [...match.aliases] }
    if (known)
      known.aliases = [...new Set([...known.aliases, ...names])].filter((n) => n !== known.id)
    else kept.push(group)
    for (const name of names) if (!seen.has(name)) seen.set(name, group)
  }
  return kept
}

const findingOf = (one: Dependency, match: Match): Finding => ({
  ecosystem: one.type,
  package: one.name,
  advisory_id: match.id,
  manifest: one.manifest,
  version: one.version,
  scope: one.scope,
  is_direct: one.direct === null ? null : one.direct ? 1 : 0,
  summary: match.summary,
  severity: match.severity,
  aliases: JSON.stringify(match.aliases),
  url: match.url,
  fixed_in: match.fixed_in,
})

/** The advisories of packages by their compared names, in queries of bounded size. */
async function advisoriesByName(
  db: Db,
  ecosystem: Ecosystem,
  names: readonly string[],
): Promise<Map<string, AdvisoryMatch[]>> {
  const found = new Map<string, AdvisoryMatch[]>()
  for (let at = 0; at < names.length; at += NAMES_PER_QUERY) {
    for (const match of listAdvisoriesOf(db, ecosystem, names.slice(at, at + NAMES_PER_QUERY))) {
      const known = found.get(match.name)
      if (known) known.push(match)
      else found.set(match.name, [match])
    }
    await nextTurn()
  }
  return found
}

/** What is wrong with these packages, the most severe first. */
export async function matchDependencies(
  db: Db,
  dependencies: readonly Dependency[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const ecosystem of new Set(dependencies.map(({ type }) => type))) {
    const packages = dependencies.filter(({ type }) => type === ecosystem)
    const names = [...new Set(packages.map(({ name }) => comparedName(ecosystem, name)))]
    const advisories = await advisoriesByName(db, ecosystem, names)
    if (advisories.size === 0) continue
    for (const one of packages) {
      const matches = (advisories.get(comparedName(ecosystem, one.name)) ?? []).flatMap((match) => {
        const affected = findAffected(ecosystem, one.version, match.affected)
        return affected ? [{ ...match, fixed_in: affected.fixed_in }] : []
      })
      findings.push(...withoutDuplicates(matches).map((match) => findingOf(one, match)))
    }
    await nextTurn()
  }
  return findings
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity))
    .slice(0, MAX_FINDINGS)
}
