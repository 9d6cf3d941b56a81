/** CycloneDX 1.6 as JSON (https://cyclonedx.org/docs/1.6/json). */
import { licenseExpression, type Component, type SbomSubject } from './sbom.ts'

function licensesOf({ license }: Component) {
  if (license === null) return {}
  const expression = licenseExpression(license)
  if (expression === null) return { licenses: [{ license: { name: license } }] }
  return expression.includes(' ')
    ? { licenses: [{ expression }] }
    : { licenses: [{ license: { id: expression } }] }
}

function componentOf(component: Component) {
  const { purl, name, version, isDevelopment, manifests } = component
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: isDevelopment ? 'optional' : 'required',
    ...licensesOf(component),
    purl,
    properties: manifests.map((value) => ({ name: 'hearth:manifest', value })),
  }
}

/** A UUID that is the same for the same commit (RFC 9562, section 5.8). */
function serialOf({ url, commit }: SbomSubject): string {
  const hash = new Bun.CryptoHasher('sha256').update(`${url} ${commit}`).digest('hex')
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
  ]
  return `urn:uuid:${[...groups, hash.slice(20, 32)].join('-')}`
}

export function cyclonedxDocument(subject: SbomSubject, components: readonly Component[]) {
  const root = `repository:${subject.full_name}@${subject.commit}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialOf(subject),
    version: 1,
    metadata: {
      timestamp: subject.committed_at,
      tools: { components: [{ type: 'application', ...subject.tool }] },
      component: {
        type: 'application',
        'bom-ref': root,
        name: subject.full_name,
        version: subject.commit,
        externalReferences: [{ type: 'vcs', url: `${subject.url}.git` }],
      },
    },
    components: components.map(componentOf),
    dependencies: [
      {
        ref: root,
        dependsOn: components.filter(({ isDirect }) => isDirect).map(({ purl }) => purl),
      },
      ...components.map(({ purl, requires }) => ({ ref: purl, dependsOn: [...requires].sort() })),
    ],
  }
}
