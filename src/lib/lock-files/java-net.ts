/** `pom.xml` of Maven, `gradle.lockfile`, and the lock files of NuGet. */
import { parseXml, xmlChild, xmlText, type XmlElement } from '../xml.ts'
import { keysOf, objectOf, textOf } from '../json-value.ts'
import {
  LockFileFault,
  parseJson,
  type FoundPackage,
  type FoundPackages,
} from './locked-packages.ts'

const requireXml = (text: string): XmlElement => {
  const root = parseXml(text)
  if (typeof root === 'string') throw new LockFileFault(`cannot be read: ${root}`)
  return root
}

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

const MAX_EXPANSIONS = 20

/** Replaces `${name}` by the properties of the file. Null when one is not there. */
function expand(text: string, properties: ReadonlyMap<string, string>): string | null {
  let value = text
  for (let turn = 0; value.includes('${'); turn++) {
    if (turn >= MAX_EXPANSIONS || value.length > 1_000) return null
    let isUnknown = false
    value = value.replace(/\$\{([^}]{1,200})\}/g, (_, name: string) => {
      const found = properties.get(name)
      if (found === undefined) isUnknown = true
      return found ?? ''
    })
    if (isUnknown) return null
  }
  return value.trim()
}

function pomProperties(root: XmlElement): Map<string, string> {
  const properties = new Map<string, string>()
  for (const { name, text } of xmlChild(root, 'properties')?.children ?? [])
    properties.set(name, text.trim())
  const parent = xmlChild(root, 'parent')
  const of = (name: string) => xmlText(root, name) ?? (parent && xmlText(parent, name))
  for (const name of ['groupId', 'artifactId', 'version']) {
    const value = of(name)
    if (value)
      for (const key of [name, `project.${name}`, `pom.${name}`]) properties.set(key, value)
    const above = parent && xmlText(parent, name)
    if (above) properties.set(`project.parent.${name}`, above)
  }
  return properties
}

/** A version that names one: a range in brackets does not, except `[1.0]`. */
const exactVersion = (version: string): string | null =>
  /^\[([^,[\]()]+)\]$/.exec(version)?.[1] ?? (/^[[(]/.test(version) ? null : version)

type PomEntry = { name: string; version: string | null; isDevelopment: boolean; isImport: boolean }

function readEntry(element: XmlElement, properties: ReadonlyMap<string, string>): PomEntry | null {
  const group = expand(xmlText(element, 'groupId') ?? '', properties)
  const artifact = expand(xmlText(element, 'artifactId') ?? '', properties)
  if (!group || !artifact) return null
  const written = xmlText(element, 'version')
  const version = written === null ? null : expand(written, properties)
  return {
    name: `${group}:${artifact}`,
    version: version ? exactVersion(version) : null,
    isDevelopment: xmlText(element, 'scope') === 'test',
    isImport: xmlText(element, 'scope') === 'import',
  }
}

/** What the file itself says: no parent is fetched, so a version from there is not known. */
export function readPom(text: string): FoundPackages {
  const root = requireXml(text)
  const properties = pomProperties(root)
  const entries = (of: XmlElement | undefined) =>
    childrenOf(of && xmlChild(of, 'dependencies'), 'dependency').flatMap(
      (one) => readEntry(one, properties) ?? [],
    )
  const managed = entries(xmlChild(root, 'dependencyManagement'))
  const versions = new Map(managed.map(({ name, version }) => [name, version]))
  const direct = entries(root)
  const used = new Set(direct.map(({ name }) => name))
  const packages = [
    ...direct.map((one) => ({ ...one, version: one.version ?? versions.get(one.name) ?? null })),
    // What is managed may come in by others, in this version.
    ...managed.filter(({ name, isImport }) => !used.has(name) && !isImport),
  ].flatMap(({ name, version, isDevelopment }): FoundPackage[] =>
    version === null ? [] : [{ name, version, isDevelopment, isDirect: used.has(name) }],
  )
  return { packages }
}

/** `group:artifact:version=configurations`. */
export function readGradleLock(text: string): FoundPackages {
  const packages = text.split(/\r?\n/).flatMap((line): FoundPackage[] => {
    const [, name, version, where = ''] = /^([^#:=\s]+:[^:=\s]+):([^=\s]+)=(.*)$/.exec(line) ?? []
    if (name === undefined || version === undefined) return []
    const configurations = where.split(',').map((one) => one.trim())
    return [{ name, version, isDevelopment: configurations.every((one) => /^test/i.test(one)) }]
  })
  return { packages }
}

/** `packages.lock.json`: a list for each framework. */
export function readNugetLock(text: string): FoundPackages {
  const lists = Object.values(objectOf(parseJson(text).dependencies))
  const packages = lists.flatMap((list) =>
    Object.entries(objectOf(list)).flatMap(([name, value]): FoundPackage[] => {
      const entry = objectOf(value)
      const version = textOf(entry.resolved)
      if (version === null || entry.type === 'Project') return []
      return [
        { name, version, isDirect: entry.type === 'Direct', requires: keysOf(entry.dependencies) },
      ]
    }),
  )
  return { packages }
}

/** `packages.config`. */
export function readPackagesConfig(text: string): FoundPackages {
  const packages = childrenOf(requireXml(text), 'package').map(({ attributes }) => ({
    name: attributes.get('id') ?? '',
    version: attributes.get('version') ?? '',
    isDevelopment: attributes.get('developmentDependency') === 'true',
    isDirect: true,
  }))
  return { packages }
}
