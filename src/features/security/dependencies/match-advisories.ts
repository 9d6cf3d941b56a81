/** Compares the packages of lock files with advisories. */
import type { PackageAdvisory } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'
import { affectedFinder, comparedName, type Affected } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { Dependency } from './schema.ts'
import { listAdvisoriesOf } from './store-advisories.ts'
import { severityRank, type Finding } from './store-alerts.ts'

/** Names of one query. */
const NAMES_PER_QUERY = 500
/** Comparisons of one turn of the event loop, which take a few milliseconds. */
const COMPARISONS_PER_TURN = 2_000
/** A repository with more has the others left out, the least severe first. */
export const MAX_FINDINGS = 5_000

type Match = PackageAdvisory & Affected
/** An advisory that reads its own versions once. */
type Candidate = {
  readonly match: PackageAdvisory
  readonly find: (version: string) => Affected | null
}

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
async function candidatesByName(
  db: Db,
  workspace_id: string,
  ecosystem: Ecosystem,
  names: readonly string[],
): Promise<Map<string, Candidate[]>> {
  const found = new Map<string, Candidate[]>()
  for (let at = 0; at < names.length; at += NAMES_PER_QUERY) {
    const slice = names.slice(at, at + NAMES_PER_QUERY)
    for (const match of listAdvisoriesOf(db, ecosystem, slice, workspace_id)) {
      const candidate = { match, find: affectedFinder(ecosystem, match.affected) }
      const known = found.get(match.name)
      if (known) known.push(candidate)
      else found.set(match.name, [candidate])
    }
    await nextTurn()
  }
  return found
}

const affecting = (candidates: readonly Candidate[], version: string): Match[] =>
  withoutDuplicates(
    candidates.flatMap(({ match, find }) => {
      const affected = find(version)
      return affected ? [{ ...match, fixed_in: affected.fixed_in }] : []
    }),
  )

const worst = (findings: Finding[]): Finding[] =>
  findings
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity))
    .slice(0, MAX_FINDINGS)

/** What is wrong with these packages in a repository of a workspace, the most severe first. */
export async function matchDependencies(
  db: Db,
  workspace_id: string,
  dependencies: readonly Dependency[],
): Promise<Finding[]> {
  let findings: Finding[] = []
  for (const ecosystem of new Set(dependencies.map(({ type }) => type))) {
    const packages = dependencies.filter(({ type }) => type === ecosystem)
    const names = [...new Set(packages.map(({ name }) => comparedName(ecosystem, name)))]
    const candidates = await candidatesByName(db, workspace_id, ecosystem, names)
    if (candidates.size === 0) continue
    // The same version stands in the lock files of many folders.
    const known = new Map<string, Match[]>()
    let comparisons = 0
    for (const one of packages) {
      const name = comparedName(ecosystem, one.name)
      const ofName = candidates.get(name)
      if (!ofName) continue
      const key = `${name}\n${one.version}`
      const matches = known.get(key) ?? affecting(ofName, one.version)
      if (!known.has(key)) comparisons += ofName.length
      known.set(key, matches)
      for (const match of matches) findings.push(findingOf(one, match))
      if (findings.length > 2 * MAX_FINDINGS) findings = worst(findings)
      comparisons += matches.length
      if (comparisons < COMPARISONS_PER_TURN) continue
      comparisons = 0
      await nextTurn()
    }
    await nextTurn()
  }
  return worst(findings)
}
