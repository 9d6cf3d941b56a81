/** Reads what a `pom.xml` says of its artifact (https://maven.apache.org/pom.html). */
import { invalid } from '#lib/errors.ts'
import { decodeXml, xmlChild, xmlText, type XmlElement } from '#lib/xml.ts'
import type { DocumentReader } from '../document-reader.ts'

const MAX_DEPENDENCIES = 2_000

export type PomDependency = {
  readonly groupId: string
  readonly artifactId: string
  readonly version: string
  readonly scope: string
}

export type Pom = {
  /** May hold `${…}`, which only a build resolves. */
  readonly groupId: string
  readonly artifactId: string
  readonly version: string
  readonly packaging: string
  readonly name: string
  readonly description: string
  readonly url: string
  readonly scm: string
  readonly licenses: readonly string[]
  readonly dependencies: readonly PomDependency[]
}

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

export function pomOf(root: XmlElement): Pom {
  if (root.name !== 'project') throw invalid('body', 'the POM has no project')
  const text = (name: string): string => xmlText(root, name) ?? ''
  const parent = xmlChild(root, 'parent')
  const inherited = (name: string): string =>
    text(name) || (parent === undefined ? '' : (xmlText(parent, name) ?? ''))
  const dependencies = childrenOf(xmlChild(root, 'dependencies'), 'dependency')
  if (dependencies.length > MAX_DEPENDENCIES)
    throw invalid('body', `the POM has more than ${MAX_DEPENDENCIES} dependencies`)
  const scm = xmlChild(root, 'scm')
  return {
    groupId: inherited('groupId'),
    artifactId: text('artifactId'),
    version: inherited('version'),
    packaging: text('packaging') || 'jar',
    name: text('name'),
    description: text('description'),
    url: text('url'),
    scm: scm === undefined ? '' : (xmlText(scm, 'url') ?? ''),
    licenses: childrenOf(xmlChild(root, 'licenses'), 'license').map(
      (license) => xmlText(license, 'name') ?? '',
    ),
    dependencies: dependencies.map((dependency) => ({
      groupId: xmlText(dependency, 'groupId') ?? '',
      artifactId: xmlText(dependency, 'artifactId') ?? '',
      version: xmlText(dependency, 'version') ?? '',
      scope: xmlText(dependency, 'scope') ?? 'compile',
    })),
  }
}

export type Coordinates = {
  readonly groupId: string
  readonly artifactId: string
  readonly version: string
}

/** Reads a POM and holds it against the path that it was sent to. Throws 422 when they differ. */
export async function readPom(
  documents: DocumentReader,
  bytes: Uint8Array,
  expected: Coordinates,
): Promise<Pom> {
  const pom = pomOf(await documents.readXml(decodeXml(bytes), 'the POM'))
  for (const key of ['groupId', 'artifactId', 'version'] as const)
    if (!pom[key].includes('${') && pom[key] !== expected[key])
      throw invalid(
        'body',
        `the POM says ${key} ${pom[key].slice(0, 200)}, and its path says ${expected[key]}`,
      )
  return pom
}
