/** What changes in the packages of lock files between two commits, and what that opens or mends. */
import type { Db } from '#core/db.ts'
import { matchDependencies } from './match-advisories.ts'
import type { Dependency, DependencyChange, DependencyReview } from './schema.ts'
import { severityRank, type Finding } from './store-alerts.ts'
import type { ReviewedAdvisory, ReviewRating } from './store-reviews.ts'

const keyOf = ({ manifest, type, name }: Pick<Dependency, 'manifest' | 'type' | 'name'>): string =>
  `${manifest}\n${type}\n${name}`

function groupByPackage(dependencies: readonly Dependency[]): Map<string, Dependency[]> {
  const groups = new Map<string, Dependency[]>()
  for (const one of dependencies) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

/** A lock file that has more versions of one package is not read by anybody. */
const MAX_VERSIONS = 100

/** The versions that only this side has. */
function versionsOf(side: readonly Dependency[], other: readonly Dependency[]): string[] {
  const there = new Set(other.map(({ version }) => version))
  return side
    .filter(({ version }) => !there.has(version))
    .slice(0, MAX_VERSIONS)
    .map(({ version }) => version)
}

/** The packages with versions that only one side has. */
export function compareDependencies(
  base: readonly Dependency[],
  head: readonly Dependency[],
): DependencyChange[] {
  const [old, now] = [groupByPackage(base), groupByPackage(head)]
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key): DependencyChange[] => {
    const [left = [], right = []] = [old.get(key), now.get(key)]
    const [before, after] = [versionsOf(left, right), versionsOf(right, left)]
    const shown = right.find(({ version }) => version === after[0]) ?? right[0] ?? left[0]
    if (!shown || before.length + after.length === 0) return []
    const { type, name, manifest, scope, license } = shown
    return [{ type, name, manifest, before, after, scope, license }]
  })
}

const versionsAs = (changes: readonly DependencyChange[], side: 'before' | 'after'): Dependency[] =>
  changes.flatMap(({ before, after, ...rest }) =>
    (side === 'before' ? before : after).map((version) => ({ ...rest, version, direct: null })),
  )

const advisoryOf = ({ advisory_id, summary, severity, url, fixed_in }: Finding) => ({
  id: advisory_id,
  summary,
  severity,
  url,
  fixed_in,
})

/** The findings of a package, each advisory once. */
function findingsByPackage(findings: readonly Finding[]): Map<string, Map<string, Finding>> {
  const byPackage = new Map<string, Map<string, Finding>>()
  for (const found of findings) {
    const key = keyOf({ manifest: found.manifest, type: found.ecosystem, name: found.package })
    const known = byPackage.get(key) ?? new Map<string, Finding>()
    known.set(found.advisory_id, found)
    byPackage.set(key, known)
  }
  return byPackage
}

/** Compares changes with the advisories of now: those that open something come first. */
export async function rateChanges(
  db: Db,
  workspace_id: string,
  changes: readonly DependencyChange[],
): Promise<DependencyReview['changes']> {
  const old = findingsByPackage(
    await matchDependencies(db, workspace_id, versionsAs(changes, 'before')),
  )
  const now = findingsByPackage(
    await matchDependencies(db, workspace_id, versionsAs(changes, 'after')),
  )
  const none = new Map<string, Finding>()
  const rated = changes.map((change) => {
    const [had, has] = [old.get(keyOf(change)) ?? none, now.get(keyOf(change)) ?? none]
    return {
      ...change,
      opens: [...has.values()].filter((one) => !had.has(one.advisory_id)).map(advisoryOf),
      mends: [...had.values()].filter((one) => !has.has(one.advisory_id)).map(advisoryOf),
    }
  })
  const rankOf = ({ opens, mends }: (typeof rated)[number]): number =>
    opens.length > 0 ? 0 : mends.length > 0 ? 1 : 2
  return rated.sort((a, b) => rankOf(a) - rankOf(b))
}

const LEAST_FAILING_RANK = severityRank('high')

/** More advisories on one side of a change are counted, but not named. */
const MAX_NAMED = 500

const advisoriesOf = (
  changes: DependencyReview['changes'],
  side: 'opens' | 'mends',
): ReviewedAdvisory[] =>
  changes
    .flatMap((change) =>
      change[side].map(({ id, severity, url }) => ({
        id,
        severity,
        package: change.name,
        manifest: change.manifest,
        url,
      })),
    )
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity))

/** What rated changes open and mend, the most severe first. */
export function ratingOf(changes: DependencyReview['changes']): ReviewRating {
  const opens = advisoriesOf(changes, 'opens')
  return {
    failing: opens.filter(({ severity }) => severityRank(severity) <= LEAST_FAILING_RANK).length,
    advisories: {
      opens: opens.slice(0, MAX_NAMED),
      mends: advisoriesOf(changes, 'mends').slice(0, MAX_NAMED),
    },
  }
}
