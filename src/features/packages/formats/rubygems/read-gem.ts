/**
 * Reads the specification of a gem: `metadata.gz` in its tar, which is YAML with tags of Ruby. The
 * tags are dropped, so no object of Ruby is made.
 */
import { invalid } from '#lib/errors.ts'
import { isGemVersion } from '#lib/versions/gem.ts'
import type { DocumentReader } from '../document-reader.ts'
import { isObject, type JsonObject } from '#lib/json-value.ts'
import { textOf, textsOf } from '../json.ts'
import { findInTar, gunzipDocument } from '../read-archive.ts'

/** An operator and a version, such as `~>` and `13.0`. */
export type GemCondition = readonly [operator: string, version: string]
export type GemDependency = {
  readonly name: string
  readonly requirement: readonly GemCondition[]
  readonly type: 'runtime' | 'development'
}

export type GemSpecification = {
  readonly name: string
  readonly version: string
  /** `ruby` for gems of every platform. */
  readonly platform: string
  readonly authors: readonly string[]
  readonly email: readonly string[]
  readonly summary: string
  readonly description: string
  readonly homepage: string
  readonly licenses: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly required_ruby_version: readonly GemCondition[]
  readonly required_rubygems_version: readonly GemCondition[]
  readonly rubygems_version: string
  readonly dependencies: readonly GemDependency[]
}

const NAME = /^[A-Za-z0-9_.-]+$/
const PLATFORM = /^[A-Za-z0-9_.-]+$/
const MAX_NAME_LENGTH = 100
const MAX_DEPENDENCIES = 500
const MAX_CONDITIONS = 50
const MAX_METADATA_ENTRIES = 100
const OPERATORS = ['=', '!=', '>', '<', '>=', '<=', '~>']
export const ANY_VERSION: readonly GemCondition[] = [['>=', '0']]

/** Throws 422 for a name that gem refuses too. */
export function parseGemName(name: string): string {
  const isName = NAME.test(name) && /[A-Za-z]/.test(name) && !/^[._-]/.test(name)
  if (name.length <= MAX_NAME_LENGTH && isName) return name
  throw invalid(
    'name',
    `${name.slice(0, 120)} is no name of a gem: use at most 100 letters, digits, -, _ and .`,
  )
}

const broken = (what: string) => invalid('body', `the specification of the gem has ${what}`)

/** A version that is not text was a number in YAML, which cannot tell 1.10 from 1.1. */
function versionOf(value: unknown): string {
  const version = isObject(value) ? value.version : value
  if (typeof version !== 'string' || !isGemVersion(version))
    throw broken('a version that is none, or that is not in quotes')
  return version
}

function conditionsOf(value: unknown): readonly GemCondition[] {
  const list = isObject(value) ? value.requirements : undefined
  if (!Array.isArray(list) || list.length === 0) return ANY_VERSION
  if (list.length > MAX_CONDITIONS) throw broken('too many conditions')
  return list.map((condition): GemCondition => {
    const [operator, version] = Array.isArray(condition) ? (condition as unknown[]) : []
    if (typeof operator !== 'string' || !OPERATORS.includes(operator))
      throw broken('a condition that is none')
    return [operator, versionOf(version)]
  })
}

function dependencyOf(value: unknown): GemDependency {
  if (!isObject(value)) throw broken('a dependency that is none')
  return {
    name: parseGemName(textOf(value.name) ?? ''),
    requirement: conditionsOf(value.requirement ?? value.version_requirements),
    type: value.type === ':development' ? 'development' : 'runtime',
  }
}

function dependenciesOf(value: unknown): readonly GemDependency[] {
  if (!Array.isArray(value)) return []
  if (value.length > MAX_DEPENDENCIES) throw broken('too many dependencies')
  return value.map(dependencyOf)
}

const metadataOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {})
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .slice(0, MAX_METADATA_ENTRIES),
  )

const listOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : textsOf(value).slice(0, 100)

export function specificationOf(value: unknown): GemSpecification {
  if (!isObject(value)) throw broken('no fields')
  const text = (key: string): string => textOf((value as JsonObject)[key]) ?? ''
  const platform = text('platform') || 'ruby'
  if (platform.length > MAX_NAME_LENGTH || !PLATFORM.test(platform))
    throw broken('a platform that is none')
  return {
    name: parseGemName(text('name')),
    version: versionOf(value.version),
    platform,
    authors: listOf(value.authors),
    email: listOf(value.email),
    summary: text('summary'),
    description: text('description'),
    homepage: text('homepage'),
    licenses: listOf(value.licenses),
    metadata: metadataOf(value.metadata),
    required_ruby_version: conditionsOf(value.required_ruby_version),
    required_rubygems_version: conditionsOf(value.required_rubygems_version),
    rubygems_version: text('rubygems_version') || '3.0.0',
    dependencies: dependenciesOf(value.dependencies),
  }
}

/** Reads a `.gem`. Throws 422 for a file that is none. */
export async function readGem(
  documents: DocumentReader,
  path: string,
  size: number,
): Promise<GemSpecification> {
  const isChosen = (name: string): boolean => name === 'metadata.gz'
  const found = await findInTar(path, size, { isGzip: false, isChosen })
  if (!found) throw invalid('body', 'the file is no gem: it has no metadata.gz')
  const yaml = await gunzipDocument(found.bytes, 'metadata.gz')
  return specificationOf(await documents.read('yaml', yaml.toString('utf8'), 'metadata.gz'))
}

/** What tells a gem of a platform apart: `1.0.0` or `1.0.0-x86_64-linux`. */
export const gemNumber = ({ version, platform }: GemSpecification): string =>
  platform === 'ruby' ? version : `${version}-${platform}`

/** Conditions as the compact index writes them. */
const conditionText = (conditions: readonly GemCondition[]): string =>
  conditions
    .map((condition) => condition.join(' '))
    .sort()
    .join('&')

const isAny = (conditions: readonly GemCondition[]): boolean => conditionText(conditions) === '>= 0'

/** The line of `info/<gem>`: number, dependencies at run time, and what the gem needs. */
export function infoLine(gem: GemSpecification, sha256: string): string {
  const dependencies = gem.dependencies
    .filter(({ type }) => type === 'runtime')
    .map(({ name, requirement }) => `${name}:${conditionText(requirement)}`)
    .sort()
  const needs = [
    `checksum:${sha256}`,
    ...(isAny(gem.required_ruby_version)
      ? []
      : [`ruby:${conditionText(gem.required_ruby_version)}`]),
    ...(isAny(gem.required_rubygems_version)
      ? []
      : [`rubygems:${conditionText(gem.required_rubygems_version)}`]),
  ]
  return `${gemNumber(gem)} ${dependencies.join(',')}|${needs.join(',')}`
}
