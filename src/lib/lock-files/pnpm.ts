/** `pnpm-lock.yaml` in its versions 5 to 9. */
import { keysOf, objectOf, textOf, type JsonObject } from '../json-value.ts'
import { parseYaml, type FoundPackage, type FoundPackages } from './locked-packages.ts'

const withoutPeers = (key: string): string => key.split('(', 1)[0] ?? key

/** `/a/1.0.0_peer@2`, `/a@1.0.0(peer@2)`, `a@1.0.0`, `registry.example/@s/a/1.0.0`. */
function splitKey(key: string): { name: string; version: string } | null {
  const parts = withoutPeers(key).split('/')
  const [first = ''] = parts
  // The registry, which is empty for the usual one.
  if (parts.length > 1 && !first.startsWith('@') && (first === '' || first.includes('.')))
    parts.shift()
  const last = parts.pop() ?? ''
  const isScoped = parts[0]?.startsWith('@') ?? false
  if (parts.length === (isScoped ? 2 : 1) && /^\d/.test(last))
    return { name: parts.join('/'), version: last.split('_', 1)[0] ?? last }
  const at = last.indexOf('@', 1)
  const version = last.slice(at + 1).split('_', 1)[0] ?? ''
  if (at < 0 || parts.length !== (isScoped ? 1 : 0) || !/^\d/.test(version)) return null
  return { name: [...parts, last.slice(0, at)].join('/'), version }
}

/** The keys that a reference to a version may have: `1.0.0` of `a`, or the key itself. */
const keysFor = (name: string, reference: string, entries: JsonObject): string[] =>
  [
    reference,
    `${name}@${reference}`,
    `/${name}@${reference}`,
    `/${name}/${reference}`,
    withoutPeers(`${name}@${reference}`),
    withoutPeers(`/${name}@${reference}`),
  ]
    .filter((key) => key in entries)
    .slice(0, 1)

/** A reference is a version, or since version 6 an object with it. */
const referenceOf = (value: unknown): string =>
  typeof value === 'string' ? value : (textOf(objectOf(value).version) ?? '')

const resolved = (value: unknown, entries: JsonObject): string[] =>
  Object.entries(objectOf(value)).flatMap(([name, reference]) =>
    keysFor(name, referenceOf(reference), entries),
  )

export function readPnpmLock(text: string): FoundPackages {
  const yaml = parseYaml(text)
  const facts = objectOf(yaml.packages)
  // Version 9 holds the requirements apart, for each set of peers.
  const snapshots = objectOf(yaml.snapshots)
  const entries = keysOf(snapshots).length > 0 ? snapshots : facts
  const packages = Object.entries(entries).flatMap(([key, value]): FoundPackage[] => {
    const entry = objectOf(value)
    const fact = objectOf(facts[withoutPeers(key)] ?? entry)
    const split = splitKey(key)
    const name = textOf(fact.name) ?? split?.name
    const version = textOf(fact.version) ?? split?.version
    const { type, directory, tarball, integrity } = objectOf(fact.resolution)
    const isElsewhere = type === 'git' || type === 'directory' || directory !== undefined
    if (name === undefined || version === undefined || isElsewhere) return []
    if (split === null && tarball !== undefined && integrity === undefined) return []
    return [
      {
        key,
        name,
        version,
        ...(entry.dev === undefined ? {} : { isDevelopment: entry.dev === true }),
        requires: [
          ...resolved(entry.dependencies, entries),
          ...resolved(entry.optionalDependencies, entries),
        ],
      },
    ]
  })
  const importers =
    keysOf(yaml.importers).length > 0 ? Object.values(objectOf(yaml.importers)) : [yaml]
  const of = (part: string) =>
    importers.flatMap((importer) => resolved(objectOf(importer)[part], entries))
  return {
    packages,
    roots: {
      runtime: [...of('dependencies'), ...of('optionalDependencies')],
      development: of('devDependencies'),
    },
  }
}
