/** Dependencies as clients see them. */
import type { LockFile } from './lock-files.ts'
import type { Dependency } from './schema.ts'

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The packages of lock files, each version once for a file: direct ones first, then by name. */
export function dependencyRecords(files: readonly LockFile[]): Dependency[] {
  const records = new Map<string, Dependency>()
  for (const { path, ecosystem, packages } of files) {
    if (ecosystem === null) continue
    for (const { name, version, isDevelopment, isDirect, license } of packages) {
      const key = `${path}\n${name}\n${version}`
      const known = records.get(key)
      records.set(key, {
        type: ecosystem,
        name,
        version,
        // A package that stands in several folders counts for the strongest of them.
        scope: isDevelopment && known?.scope !== 'runtime' ? 'development' : 'runtime',
        manifest: path,
        direct: known?.direct || isDirect,
        license: license ?? known?.license ?? null,
      })
    }
  }
  return [...records.values()]
    .map((record) => ({ record, name: record.name.toLowerCase() }))
    .sort(
      ({ record: a, name: left }, { record: b, name: right }) =>
        Number(b.direct === true) - Number(a.direct === true) ||
        compareTexts(left, right) ||
        compareTexts(a.version, b.version) ||
        compareTexts(a.manifest, b.manifest),
    )
    .map(({ record }) => record)
}
