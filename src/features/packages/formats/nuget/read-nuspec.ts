/** Reads the `.nuspec` of a package (https://learn.microsoft.com/nuget/reference/nuspec). */
import { invalid } from '#lib/errors.ts'
import { parseNugetVersion } from '#lib/versions/nuget.ts'
import { decodeXml, xmlChild, xmlText, type XmlElement } from '#lib/xml.ts'
import type { DocumentReader } from '../document-reader.ts'
import { findInZip } from '../read-archive.ts'

const MAX_ID_LENGTH = 100
const ID = /^\w+(?:[.-]\w+)*$/
const MAX_DEPENDENCIES = 2_000

export type NugetDependency = { readonly id: string; readonly range: string }
export type DependencyGroup = {
  readonly targetFramework: string
  readonly dependencies: readonly NugetDependency[]
}

export type Nuspec = {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly authors: string
  readonly description: string
  readonly summary: string
  readonly projectUrl: string
  readonly licenseUrl: string
  readonly licenseExpression: string
  readonly tags: readonly string[]
  readonly requireLicenseAcceptance: boolean
  readonly minClientVersion: string
  readonly repository: string
  readonly repositoryCommit: string
  readonly readme: string
  readonly packageTypes: readonly string[]
  readonly dependencyGroups: readonly DependencyGroup[]
}

/** Throws 422 for a name that NuGet refuses too. */
export function parseNugetId(id: string): string {
  if (id.length <= MAX_ID_LENGTH && ID.test(id)) return id
  throw invalid(
    'id',
    `${id.slice(0, 120)} is no id of a package: use at most 100 letters, digits, _, and . and - between them`,
  )
}

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

const dependencyOf = ({ attributes }: XmlElement): NugetDependency => ({
  id: attributes.get('id') ?? '',
  range: attributes.get('version') ?? '',
})

/** Dependencies stand in groups by framework, or in older files directly. */
function readGroups(metadata: XmlElement): DependencyGroup[] {
  const all = xmlChild(metadata, 'dependencies')
  const groups = childrenOf(all, 'group').map((group) => ({
    targetFramework: group.attributes.get('targetFramework') ?? '',
    dependencies: childrenOf(group, 'dependency').map(dependencyOf),
  }))
  const direct = childrenOf(all, 'dependency').map(dependencyOf)
  const found =
    direct.length > 0 ? [...groups, { targetFramework: '', dependencies: direct }] : groups
  const count = found.reduce((sum, { dependencies }) => sum + 1 + dependencies.length, 0)
  if (count > MAX_DEPENDENCIES)
    throw invalid('body', `the package has more than ${MAX_DEPENDENCIES} dependencies`)
  return found
}

const isYes = (text: string | null): boolean => text?.toLowerCase() === 'true'

export function nuspecOf(root: XmlElement): Nuspec {
  const metadata = root.name === 'package' ? xmlChild(root, 'metadata') : undefined
  if (!metadata) throw invalid('body', 'the nuspec in the package has no metadata')
  const text = (name: string): string => xmlText(metadata, name) ?? ''
  const id = parseNugetId(text('id'))
  const version = text('version')
  if (!parseNugetVersion(version))
    throw invalid('version', `${version.slice(0, 100)} is no version of NuGet`)
  const license = xmlChild(metadata, 'license')
  const repository = xmlChild(metadata, 'repository')?.attributes
  return {
    id,
    version,
    title: text('title'),
    authors: text('authors'),
    description: text('description'),
    summary: text('summary'),
    projectUrl: text('projectUrl'),
    licenseUrl: text('licenseUrl'),
    licenseExpression: license?.attributes.get('type') === 'expression' ? license.text.trim() : '',
    tags: text('tags')
      .split(/[\s,]+/)
      .filter((tag) => tag !== ''),
    requireLicenseAcceptance: isYes(xmlText(metadata, 'requireLicenseAcceptance')),
    minClientVersion: metadata.attributes.get('minClientVersion') ?? '',
    repository: repository?.get('url') ?? '',
    repositoryCommit: repository?.get('commit') ?? '',
    readme: text('readme'),
    packageTypes: childrenOf(xmlChild(metadata, 'packageTypes'), 'packageType').map(
      ({ attributes }) => attributes.get('name') ?? '',
    ),
    dependencyGroups: readGroups(metadata),
  }
}

/** The description of a `.nupkg` and its bytes as they are in the package. */
export async function readNupkg(
  documents: DocumentReader,
  path: string,
  size: number,
): Promise<{ readonly nuspec: Nuspec; readonly document: Buffer }> {
  const isChosen = (name: string): boolean => !name.includes('/') && name.endsWith('.nuspec')
  const [found, second] = await findInZip(path, size, isChosen)
  if (!found) throw invalid('body', 'the package has no nuspec')
  if (second) throw invalid('body', 'the package has two nuspecs')
  const root = await documents.readXml(decodeXml(found.bytes), 'the nuspec')
  return { nuspec: nuspecOf(root), document: found.bytes }
}
