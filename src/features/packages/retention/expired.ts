/** Which versions of a package a retention rule deletes. */
import type { Db } from '#core/db.ts'
import { glob, type Glob } from '#lib/glob.ts'
import { DAY } from '#lib/time.ts'
import { isSnapshot, parseSnapshotFile, type SnapshotFile } from '../formats/maven/paths.ts'
import type { PackageRow } from '../store.ts'
import { listFiles, type FileRow } from '../store-versions.ts'
import { isSubject, listRetainedVersions, type RetainedVersion, type RuleRow } from './store.ts'

/** What is needed of a rule, which need not be saved yet. */
export type Rule = Pick<
  RuleRow,
  'keep_newest' | 'keep_matching' | 'older_than_days' | 'untagged_only' | 'snapshots_kept'
>

export type Expired = {
  readonly versions: readonly RetainedVersion[]
  /** Files of old builds of snapshots. */
  readonly files: readonly FileRow[]
}

const patternsOf = (text: string | null): Glob[] =>
  (text ?? '')
    .split(/\s+/)
    .filter((pattern) => pattern !== '')
    .map((pattern) => glob(pattern))

/**
 * Tags of images are what versions are named by, so only `latest` holds one. The few tags of other
 * packages are moved by hand, and each holds its version.
 */
const isHeld = (db: Db, row: PackageRow, version: RetainedVersion, tags: string[]): boolean =>
  row.type === 'container'
    ? tags.length === 0 && isSubject(db, row.id, version.id)
    : tags.length > 0

export function findExpired(db: Db, row: PackageRow, rule: Rule, nowMs: number): Expired {
  const patterns = patternsOf(rule.keep_matching)
  const matches = (name: string): boolean => patterns.some((pattern) => pattern.matches(name))
  const versions = listRetainedVersions(db, row.id)
  const expired = versions.slice(rule.keep_newest).filter((version) => {
    if (version.id === row.latest_version_id) return false
    if (nowMs - Date.parse(version.changed_at) < rule.older_than_days * DAY) return false
    const tags = JSON.parse(version.tags) as string[]
    if (tags.length > 0 && rule.untagged_only === 1) return false
    return ![version.version, ...tags].some(matches) && !isHeld(db, row, version, tags)
  })
  const gone = new Set(expired.map(({ id }) => id))
  const files =
    row.type === 'maven'
      ? versions
          .filter(({ id, version }) => isSnapshot(version) && !gone.has(id))
          .flatMap((version) => findOldBuilds(db, row, version, rule, nowMs))
      : []
  return { versions: expired, files }
}

const buildOf = ({ build, timestamp }: SnapshotFile): string =>
  `${String(build).padStart(9, '0')} ${timestamp}`

/**
 * The files of builds beyond the newest ones. A build counts from when its POM is there; files of
 * an unfinished one stay for a day. The newest file of each kind stays, because metadata names it.
 */
function findOldBuilds(
  db: Db,
  row: PackageRow,
  { id, version }: RetainedVersion,
  rule: Rule,
  nowMs: number,
): FileRow[] {
  const artifactId = row.name.split(':')[1] ?? ''
  const files = listFiles(db, id).flatMap((file) => {
    const name = file.path.slice(file.path.indexOf('/') + 1)
    const parsed = parseSnapshotFile(artifactId, version, name)
    return parsed === null ? [] : [{ file, build: buildOf(parsed), parsed }]
  })
  const whole = new Set(
    files.filter(({ parsed }) => parsed.extension === 'pom').map((f) => f.build),
  )
  const kept = new Set([...whole].sort().slice(-rule.snapshots_kept))
  const newest = new Map<string, string>()
  for (const { build, parsed } of files) {
    const key = `${parsed.classifier}\n${parsed.extension}`
    if (whole.has(build) && build > (newest.get(key) ?? '')) newest.set(key, build)
  }
  return files
    .filter(({ file, build, parsed }) => {
      if (kept.has(build)) return false
      if (nowMs - Date.parse(file.created_at) < DAY && !whole.has(build)) return false
      return newest.get(`${parsed.classifier}\n${parsed.extension}`) !== build
    })
    .map(({ file }) => file)
}
