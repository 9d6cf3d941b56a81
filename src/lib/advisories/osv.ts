/** Advisories in the format of OSV (https://ossf.github.io/osv-schema). */
import type { Ecosystem } from '../lock-files/locked-packages.ts'
import { arrayOf, isObject, objectOf, textOf, textsOf, type JsonObject } from '../json-value.ts'
import { normalPythonName } from '../lock-files/python.ts'
import { compareKeys } from '../versions/sort-key.ts'
import { versionKey } from '../versions/version-key.ts'
import { cvssScore, severityOfScore } from './cvss.ts'

export const ADVISORY_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export type AdvisorySeverity = (typeof ADVISORY_SEVERITIES)[number]

/** One step of a range: `[kind, version]`. */
export type RangeEvent = readonly [
  kind: 'introduced' | 'fixed' | 'last_affected' | 'limit',
  version: string,
]

/** The versions of one package that an advisory is about. */
export type AffectedVersions = {
  readonly ranges: readonly (readonly RangeEvent[])[]
  /** Versions that no range holds. */
  readonly versions: readonly string[]
}

export type AffectedPackage = AffectedVersions & {
  readonly ecosystem: Ecosystem
  readonly name: string
}

export type OsvAdvisory = {
  readonly id: string
  readonly modified: string
  readonly withdrawn: string | null
  readonly summary: string
  readonly severity: AdvisorySeverity | null
  readonly aliases: readonly string[]
  readonly url: string | null
  readonly affected: readonly AffectedPackage[]
}

/** The file is no advisory. The message ends the sentence that begins with its name. */
export class AdvisoryFault extends Error {}

const NAMES: Readonly<Record<string, Ecosystem>> = {
  npm: 'npm',
  'crates.io': 'cargo',
  Go: 'golang',
  PyPI: 'pypi',
  RubyGems: 'gem',
  Packagist: 'composer',
  Maven: 'maven',
  NuGet: 'nuget',
  Hex: 'hex',
  Pub: 'pub',
  SwiftURL: 'swift',
}

/** How the format spells an ecosystem. */
export const osvNameOf = (ecosystem: Ecosystem): string =>
  Object.entries(NAMES).find(([, known]) => known === ecosystem)?.[0] ?? ecosystem

/** The ecosystem that people mean by a word such as npm, Go or crates.io; null for none. */
export function ecosystemOf(word: string): Ecosystem | null {
  const lower = word.trim().toLowerCase()
  if (lower === 'rust') return 'cargo'
  const found = Object.entries(NAMES).find(
    ([name, ecosystem]) => name.toLowerCase() === lower || ecosystem === lower,
  )
  return found ? found[1] : null
}

export const MAX_ADVISORY_BYTES = 16 * 1024 ** 2
const MAX_TEXT_LENGTH = 300
const MAX_AFFECTED = 500
const MAX_EVENTS = 2_000
const MAX_VERSIONS = 20_000

/** How a name is compared: some ecosystems do not tell cases or signs apart. */
export function comparedName(ecosystem: Ecosystem, name: string): string {
  if (ecosystem === 'pypi') return normalPythonName(name)
  if (ecosystem === 'swift') return name.replace(/^https?:\/\//, '').replace(/\.git$/, '')
  const ignoresCase = ecosystem === 'composer' || ecosystem === 'nuget'
  return ignoresCase ? name.toLowerCase() : name
}

const KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const

function readEvents(range: JsonObject): RangeEvent[] {
  return arrayOf(range.events)
    .slice(0, MAX_EVENTS)
    .flatMap((value): RangeEvent[] => {
      const event = objectOf(value)
      return KINDS.flatMap((kind): RangeEvent[] => {
        const version = textOf(event[kind])
        return version === null || version.length > MAX_TEXT_LENGTH ? [] : [[kind, version]]
      })
    })
}

function readAffected(value: unknown): AffectedPackage[] {
  const entry = objectOf(value)
  const { ecosystem: written, name } = objectOf(entry.package)
  // `Debian:12` is a release of an ecosystem, and those are of operating systems.
  const ecosystem = NAMES[textOf(written) ?? '']
  if (ecosystem === undefined || typeof name !== 'string' || name.length > MAX_TEXT_LENGTH)
    return []
  const ranges = arrayOf(entry.ranges)
    .map(objectOf)
    .filter(({ type }) => type === 'SEMVER' || type === 'ECOSYSTEM')
    .map(readEvents)
    .filter((events) => events.length > 0)
  const findInRanges = affectedFinder(ecosystem, { ranges, versions: [] })
  const versions = textsOf(entry.versions)
    .slice(0, MAX_VERSIONS)
    // Most lists say again what the ranges say.
    .filter((version) => findInRanges(version) === null)
  if (ranges.length === 0 && versions.length === 0) return []
  return [{ ecosystem, name: comparedName(ecosystem, name), ranges, versions }]
}

const WORDS: Readonly<Record<string, AdvisorySeverity>> = {
  LOW: 'low',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
}

/** By the highest score of CVSS, or by the word of whoever published it. */
function severityOf(json: JsonObject, id: string): AdvisorySeverity | null {
  if (id.startsWith('MAL-')) return 'critical'
  const all = [json, ...arrayOf(json.affected).slice(0, MAX_AFFECTED).map(objectOf)]
  const scores = all
    .flatMap(({ severity }) => arrayOf(severity).map(objectOf))
    .flatMap(({ score }) => cvssScore(textOf(score) ?? '') ?? [])
  if (scores.length > 0) return severityOfScore(Math.max(...scores))
  for (const one of all)
    for (const specific of [one.database_specific, one.ecosystem_specific]) {
      const word = textOf(objectOf(specific).severity)?.toUpperCase() ?? ''
      if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null
    }
  return null
}

/** One line of plain text. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH)

function urlOf(json: JsonObject): string | null {
  const references = arrayOf(json.references).slice(0, 200).map(objectOf)
  const urls = ['ADVISORY', 'WEB', null].flatMap((type) =>
    references.filter((one) => type === null || one.type === type).map(({ url }) => textOf(url)),
  )
  return urls.find((url) => url !== null && /^https?:\/\/\S{1,1900}$/.test(url)) ?? null
}

const ID = /^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$/

/** Throws AdvisoryFault for what is no advisory. */
export function readAdvisory(value: unknown): OsvAdvisory {
  if (!isObject(value)) throw new AdvisoryFault('is no advisory: it is no JSON object')
  const id = textOf(value.id) ?? ''
  if (!ID.test(id)) throw new AdvisoryFault('is no advisory: it has no id')
  const modified = Date.parse(textOf(value.modified) ?? '')
  if (Number.isNaN(modified)) throw new AdvisoryFault('is no advisory: it has no time in modified')
  const withdrawn = Date.parse(textOf(value.withdrawn) ?? '')
  return {
    id,
    modified: new Date(modified).toISOString(),
    withdrawn: Number.isNaN(withdrawn) ? null : new Date(withdrawn).toISOString(),
    summary: oneLine((textOf(value.summary) ?? textOf(value.details) ?? id).slice(0, 2_000)),
    severity: severityOf(value, id),
    aliases: textsOf(value.aliases)
      .filter((alias) => ID.test(alias))
      .slice(0, 50),
    url: urlOf(value),
    affected: arrayOf(value.affected).slice(0, MAX_AFFECTED).flatMap(readAffected),
  }
}

/** Below every version. */
const BEGINNING = ''

type KeyedEvent = { readonly kind: RangeEvent[0]; readonly key: string; readonly version: string }

/** The events of a range in the order of versions; those that are no versions are left out. */
export function sortedEvents(ecosystem: Ecosystem, events: readonly RangeEvent[]): KeyedEvent[] {
  return events
    .flatMap(([kind, version]): KeyedEvent[] => {
      const isBeginning = kind === 'introduced' && version === '0'
      const key = isBeginning ? BEGINNING : versionKey(ecosystem, version)
      return key === null ? [] : [{ kind, key, version }]
    })
    .sort((a, b) => compareKeys(a.key, b.key))
}

/** Whether a range holds a version, and the first version after it that is fixed. */
function findInRange(events: readonly KeyedEvent[], key: string): Affected | null {
  let isIn = false
  for (const { kind, key: at } of events) {
    const order = compareKeys(at, key)
    if (kind === 'introduced' && order <= 0) isIn = true
    else if (kind === 'fixed' && order <= 0) isIn = false
    else if (kind === 'last_affected' && order < 0) isIn = false
    else if (kind === 'limit' && order <= 0) isIn = false
  }
  if (!isIn) return null
  const fixed = events.find(({ kind, key: at }) => kind === 'fixed' && compareKeys(at, key) > 0)
  return { fixed_in: fixed?.version ?? null }
}

export type Affected = { readonly fixed_in: string | null }

/**
 * Compares versions with an advisory, whose own versions are read once for all of them. The result
 * is null for a version that is not affected.
 */
export function affectedFinder(
  ecosystem: Ecosystem,
  { ranges, versions }: AffectedVersions,
): (version: string) => Affected | null {
  const sorted = ranges.map((events) => sortedEvents(ecosystem, events))
  const alone = new Set(versions)
  return (version) => {
    const key = versionKey(ecosystem, version)
    if (key !== null)
      for (const events of sorted) {
        const found = findInRange(events, key)
        if (found) return found
      }
    if (!alone.has(version)) return null
    // A version that is listed alone is mended by the next version of a range that is fixed.
    if (key === null) return { fixed_in: null }
    const fixed = sorted
      .flat()
      .filter(({ kind, key: at }) => kind === 'fixed' && compareKeys(at, key) > 0)
      .sort((a, b) => compareKeys(a.key, b.key))
    return { fixed_in: fixed[0]?.version ?? null }
  }
}
