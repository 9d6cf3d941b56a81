/**
 * `npm audit`, and the older form that pnpm and yarn 1 ask in
 * (https://docs.npmjs.com/cli/commands/npm-audit#audit-endpoints).
 */
import type { Hearth } from '#core/hearth.ts'
import { comparatorText, intervalsOf } from '#lib/advisories/intervals.ts'
import type { PackageAdvisory } from '#features/repos/index.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { findConcerning, workspaceIdOf } from '../audits.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf, textsOf } from '../json.ts'

const MAX_AUDIT_BYTES = 4 * 1024 ** 2
const MAX_NODES = 20_000
const MAX_PATH_LENGTH = 500
const MAX_DEPTH = 200
const MAX_VERSIONS = 1_000
/** Places of vulnerable packages in one answer, which repeats each for every advisory. */
const MAX_FINDINGS = 20_000

/** npm has no word for an unknown severity. */
const severityOf = ({ severity }: PackageAdvisory): string =>
  severity === null || severity === 'medium' ? 'moderate' : severity

const factsOf = (advisory: PackageAdvisory) => ({
  id: advisory.id,
  url: advisory.url ?? `https://osv.dev/vulnerability/${advisory.id}`,
  title: advisory.summary,
  severity: severityOf(advisory),
  vulnerable_versions: comparatorText(intervalsOf('npm', advisory.affected)),
})

const versionsOf = (value: unknown): Set<string> => new Set(textsOf(value).slice(0, MAX_VERSIONS))

/** The body has the versions of each package; the answer the advisories that concern them. */
export async function auditBulk(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const body = await door.json(MAX_AUDIT_BYTES)
  const asked = isObject(body) ? body : {}
  const versions = Object.entries(asked).map(([name, list]) => [name, versionsOf(list)] as const)
  const found = await findConcerning(hearth, workspaceIdOf(hearth, door), 'npm', new Map(versions))
  const byName = Map.groupBy(found, ({ advisory }) => advisory.name)
  const answer = [...byName].map(([name, list]) => [
    name,
    list.map(({ advisory }) => ({
      ...factsOf(advisory),
      cwe: [],
      cvss: { score: 0, vectorString: null },
    })),
  ])
  return jsonResponse(Object.fromEntries(answer) as object)
}

type Installed = { readonly name: string; readonly version: string; readonly path: string }

/** The packages of a tree, each with its way from the project. */
function installedIn(tree: unknown): Installed[] {
  const installed: Installed[] = []
  const stack = [{ tree, path: '', depth: 0 }]
  let nodes = 0
  for (let top = stack.pop(); top; top = stack.pop()) {
    const dependencies = isObject(top.tree) ? top.tree.dependencies : null
    if (!isObject(dependencies) || top.depth > MAX_DEPTH) continue
    for (const [name, below] of Object.entries(dependencies)) {
      if (++nodes > MAX_NODES) return installed
      const path = (top.path === '' ? name : `${top.path}>${name}`).slice(0, MAX_PATH_LENGTH)
      const version = isObject(below) ? textOf(below.version) : null
      if (version !== null) installed.push({ name, version, path })
      stack.push({ tree: below, path, depth: top.depth + 1 })
    }
  }
  return installed
}

type Hit = { readonly version: string; readonly paths: readonly string[] }

const legacyFacts = (advisory: PackageAdvisory, findings: readonly Hit[]) => ({
  ...factsOf(advisory),
  module_name: advisory.name,
  findings,
  overview: advisory.summary,
  recommendation: '',
  patched_versions: '',
  cves: advisory.aliases.filter((alias) => alias.startsWith('CVE-')),
  github_advisory_id: advisory.id,
  references: factsOf(advisory).url,
  access: 'public',
  cwe: '',
})

/** Each package of a chain of dependencies is two levels. */
const TREE_LIMITS = { maxDepth: 4_000, maxValues: 200_000 }

/** The body is a tree of packages. */
export async function auditTree(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const installed = installedIn(await door.json(MAX_AUDIT_BYTES, TREE_LIMITS))
  const byName = Map.groupBy(installed, ({ name }) => name)
  const versions = [...byName].map(
    ([name, list]) => [name, new Set(list.map(({ version }) => version))] as const,
  )
  const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 }
  const advisories: Record<string, unknown> = {}
  let left = MAX_FINDINGS
  const found = await findConcerning(hearth, workspaceIdOf(hearth, door), 'npm', new Map(versions))
  for (const { advisory, versions: affected } of found) {
    const findings = (byName.get(advisory.name) ?? [])
      .filter(({ version }) => affected.has(version))
      .slice(0, left)
      .map(({ version, path }) => ({ version, paths: [path] }))
    if (findings.length === 0) continue
    left -= findings.length
    const facts = legacyFacts(advisory, findings)
    vulnerabilities[facts.severity as keyof typeof vulnerabilities] += findings.length
    advisories[advisory.id] = facts
  }
  const totalDependencies = installed.length
  return jsonResponse({
    actions: [],
    advisories,
    muted: [],
    metadata: {
      vulnerabilities,
      dependencies: totalDependencies,
      devDependencies: 0,
      optionalDependencies: 0,
      totalDependencies,
    },
  })
}
