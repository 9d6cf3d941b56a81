/** SPDX 2.3 as JSON (https://spdx.github.io/spdx-spec/v2.3). */
import { licenseExpression, type Component, type SbomSubject } from './sbom.ts'

const NONE = 'NOASSERTION'

/** Ids of elements have letters, digits, dots and hyphens only; the number keeps them apart. */
const idOf = ({ purl }: Component, at: number): string =>
  `SPDXRef-${at + 1}-${purl.slice(4).replace(/[^A-Za-z0-9.-]+/g, '-')}`

const relationship = (from: string, type: string, to: string) => ({
  spdxElementId: from,
  relationshipType: type,
  relatedSpdxElement: to,
})

function packageOf(component: Component, id: string) {
  const expression = licenseExpression(component.license)
  return {
    SPDXID: id,
    name: component.name,
    versionInfo: component.version,
    downloadLocation: NONE,
    filesAnalyzed: false,
    licenseConcluded: NONE,
    licenseDeclared: expression ?? NONE,
    ...(component.license !== null && expression === null
      ? { licenseComments: component.license }
      : {}),
    copyrightText: NONE,
    sourceInfo: `found in ${component.manifests.join(', ')}`,
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: component.purl,
      },
    ],
  }
}

export function spdxDocument(subject: SbomSubject, components: readonly Component[]) {
  const root = 'SPDXRef-Repository'
  const ids = new Map(components.map((one, at) => [one.purl, idOf(one, at)]))
  const idFor = (purl: string): string => ids.get(purl) ?? root
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: subject.full_name,
    documentNamespace: `${subject.url}/dependencies/sbom/${subject.commit}`,
    creationInfo: {
      // The time of the commit, so that one commit always has the same document.
      created: subject.committed_at.replace(/\.\d+Z$/, 'Z'),
      creators: [`Tool: ${subject.tool.name}-${subject.tool.version}`],
    },
    packages: [
      {
        SPDXID: root,
        name: subject.full_name,
        versionInfo: subject.commit,
        downloadLocation: NONE,
        filesAnalyzed: false,
        licenseConcluded: NONE,
        licenseDeclared: NONE,
        copyrightText: NONE,
      },
      ...components.map((one) => packageOf(one, idFor(one.purl))),
    ],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', root),
      ...components
        .filter(({ isDirect }) => isDirect)
        .map(({ purl, isDevelopment }) =>
          isDevelopment
            ? relationship(idFor(purl), 'DEV_DEPENDENCY_OF', root)
            : relationship(root, 'DEPENDS_ON', idFor(purl)),
        ),
      ...components.flatMap(({ purl, requires }) =>
        [...requires].map((needed) => relationship(idFor(purl), 'DEPENDS_ON', idFor(needed))),
      ),
    ],
  }
}
