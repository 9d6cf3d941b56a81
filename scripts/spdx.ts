/**
 * The bill of materials of a release (SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3/), from what
 * `package-lock.json` installs for running, and the programs of `assets/sandbox`.
 */
import { createHash } from 'node:crypto'

type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
}
export type Lock = { name: string; version: string; packages: Record<string, Locked> }

const idOf = (name: string, version: string): string =>
  `SPDXRef-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, '-')}`

/** Packages of Bun's runtime, of which a lock names one for each kind of machine. */
const RUNTIME = '@oven/bun-'

/** What is in the programs of `assets/sandbox`, as `scripts/build-sandbox.ts` builds them. */
const SANDBOX_PACKAGES = [
  {
    name: 'bubblewrap',
    version: '0.11.0',
    license: 'LGPL-2.0-or-later',
    location: 'https://deb.debian.org/debian/pool/main/b/bubblewrap/bubblewrap_0.11.0.orig.tar.xz',
    sha256: '988fd6b232dafa04b8b8198723efeaccdb3c6aa9c1c7936219d5791a8b7a8646',
  },
  {
    name: 'musl',
    version: '1.2.5',
    license: 'MIT',
    location: 'https://musl.libc.org/releases/musl-1.2.5.tar.gz',
    sha256: null,
  },
].map(({ name, version, license, location, sha256 }) => ({
  SPDXID: idOf(name, version),
  name,
  versionInfo: version,
  downloadLocation: location,
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  licenseDeclared: license,
  copyrightText: 'NOASSERTION',
  ...(sha256 === null ? {} : { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
}))

/**
 * `created` is a moment such as 2026-01-31T00:00:00Z, `runtimes` are the packages of the runtimes
 * that the executables are made of; the same lock and options give the same text.
 */
export function billOfMaterials(
  lock: Lock,
  options: { created: string; version: string; runtimes: readonly string[] },
): string {
  const used = Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional, link, version }]) =>
        path !== '' && !dev && !devOptional && !link && version !== undefined,
    )
    .map(([path, one]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      ...one,
      version: one.version ?? '',
    }))
    .filter(({ name }) => !name.startsWith(RUNTIME) || options.runtimes.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1))
  const once = [...new Map(used.map((one) => [idOf(one.name, one.version), one]))]
  const installed = once.map(([SPDXID, { name, version, resolved, integrity, license }]) => {
    const [algorithm, digest] = integrity?.split(' ')[0]?.split(/-(.*)/s) ?? []
    return {
      SPDXID,
      name,
      versionInfo: version,
      downloadLocation: resolved ?? 'NOASSERTION',
      filesAnalyzed: false,
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: license ?? 'NOASSERTION',
      copyrightText: 'NOASSERTION',
      ...(algorithm && digest
        ? {
            checksums: [
              {
                algorithm: algorithm.toUpperCase(),
                checksumValue: Buffer.from(digest, 'base64').toString('hex'),
              },
            ],
          }
        : {}),
      externalRefs: [
        {
          referenceCategory: 'PACKAGE-MANAGER',
          referenceType: 'purl',
          referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        },
      ],
    }
  })
  const packages = [...installed, ...SANDBOX_PACKAGES]
  const root = idOf('hearth', options.version)
  const content = createHash('sha256').update(JSON.stringify(packages)).digest('hex')
  return `${JSON.stringify(
    {
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: `hearth-${options.version}`,
      documentNamespace: `urn:hearth:sbom:${options.version}:${content}`,
      creationInfo: { created: options.created, creators: ['Tool: scripts/spdx.ts'] },
      packages: [
        {
          SPDXID: root,
          name: 'hearth',
          versionInfo: options.version,
          downloadLocation: 'NOASSERTION',
          filesAnalyzed: false,
          licenseConcluded: 'MIT',
          licenseDeclared: 'MIT',
          copyrightText: 'NOASSERTION',
        },
        ...packages,
      ],
      relationships: [
        {
          spdxElementId: 'SPDXRef-DOCUMENT',
          relationshipType: 'DESCRIBES',
          relatedSpdxElement: root,
        },
        ...packages.map(({ SPDXID }) => ({
          spdxElementId: root,
          relationshipType: 'DEPENDS_ON',
          relatedSpdxElement: SPDXID,
        })),
      ],
    },
    null,
    2,
  )}\n`
}
