/** `maven-metadata.xml`, made from the rows of a package at every level. */
import type { Hearth } from '#core/hearth.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { mavenKey } from '#lib/versions/maven.ts'
import { parseObject, textOf } from '../json.ts'
import type { PackageRow } from '../../store.ts'
import {
  findVersion,
  listActiveVersionNames,
  listFiles,
  listFilesOfPackage,
  versionById,
} from '../../store-versions.ts'
import { isSnapshot, parseSnapshotFile, type SnapshotFile } from './paths.ts'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const element = (name: string, text: string): string =>
  `<${name}>${text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign)}</${name}>`

/** `20260131120000`, in UTC. */
const stamp = (time: string): string => time.replace(/\D/g, '').slice(0, 14)

const documentOf = (...lines: readonly string[]): string =>
  ['<?xml version="1.0" encoding="UTF-8"?>', ...lines, ''].join('\n')

const splitName = (name: string): [groupId: string, artifactId: string] => {
  const [groupId = '', artifactId = ''] = name.split(':')
  return [groupId, artifactId]
}

/** A version is listed when its POM is there. Null when none is. */
export function renderArtifactMetadata(hearth: Hearth, row: PackageRow): string | null {
  const [groupId, artifactId] = splitName(row.name)
  const described = new Set(
    listFilesOfPackage(hearth.db, row.id)
      .filter(({ path }) => path.endsWith('.pom'))
      .map(({ version_id }) => version_id),
  )
  const versions = listActiveVersionNames(hearth.db, row.id)
    .filter(({ id }) => described.has(id))
    .map(({ version }) => ({ version, key: mavenKey(version) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ version }) => version)
  const latest = versions.at(-1)
  if (latest === undefined) return null
  const release = versions.findLast((version) => !isSnapshot(version))
  return documentOf(
    '<metadata>',
    element('groupId', groupId),
    element('artifactId', artifactId),
    '<versioning>',
    element('latest', latest),
    ...(release === undefined ? [] : [element('release', release)]),
    '<versions>',
    ...versions.map((version) => element('version', version)),
    '</versions>',
    element('lastUpdated', stamp(row.updated_at)),
    '</versioning>',
    '</metadata>',
  )
}

const isNewer = (a: SnapshotFile, b: SnapshotFile): boolean =>
  a.build === b.build ? a.timestamp > b.timestamp : a.build > b.build

const buildOf = ({ timestamp, build }: SnapshotFile): string => `${timestamp}-${build}`

/**
 * The builds of a snapshot. A build counts from when its POM is there, because two deployers may
 * take one number. What the newest lacks comes from the newest build that has it.
 */
export function renderSnapshotMetadata(
  hearth: Hearth,
  row: PackageRow,
  version: string,
): string | null {
  const [groupId, artifactId] = splitName(row.name)
  const there = findVersion(hearth.db, row.id, version)
  if (!there || there.deleted_at !== null) return null
  const files = listFiles(hearth.db, there.id)
    .map(({ path }) => parseSnapshotFile(artifactId, version, path.slice(path.indexOf('/') + 1)))
    .filter((file) => file !== null)
  const whole = new Set(files.filter(({ extension }) => extension === 'pom').map(buildOf))
  const newest = new Map<string, SnapshotFile>()
  for (const file of files) {
    const key = `${file.classifier}\n${file.extension}`
    const known = newest.get(key)
    if (whole.has(buildOf(file)) && (!known || isNewer(file, known))) newest.set(key, file)
  }
  const main = newest.get('\npom')
  if (!main) return null
  const base = version.replace(/SNAPSHOT$/i, '')
  return documentOf(
    '<metadata modelVersion="1.1.0">',
    element('groupId', groupId),
    element('artifactId', artifactId),
    element('version', version),
    '<versioning>',
    '<snapshot>',
    element('timestamp', main.timestamp),
    element('buildNumber', String(main.build)),
    '</snapshot>',
    element('lastUpdated', stamp(main.timestamp)),
    '<snapshotVersions>',
    ...[...newest.values()].flatMap((file) => [
      '<snapshotVersion>',
      ...(file.classifier === '' ? [] : [element('classifier', file.classifier)]),
      element('extension', file.extension),
      element('value', `${base}${buildOf(file)}`),
      element('updated', stamp(file.timestamp)),
      '</snapshotVersion>',
    ]),
    '</snapshotVersions>',
    '</versioning>',
    '</metadata>',
  )
}

const PLUGIN_NAME = /^(?:maven-(.+)-plugin|(.+)-maven-plugin)$/

/** What people write before the colon of a goal, as Maven derives it from the name. */
const goalPrefix = (artifactId: string): string => {
  const [, ours, others] = PLUGIN_NAME.exec(artifactId) ?? []
  return ours ?? others ?? artifactId
}

/** The plugins of a group; null for none. */
export function renderGroupMetadata(hearth: Hearth, rows: readonly PackageRow[]): string | null {
  const plugins = rows.flatMap(({ name, latest_version_id }) => {
    const latest = latest_version_id === null ? null : versionById(hearth.db, latest_version_id)
    const pom = parseObject(latest?.metadata ?? '')
    if (pom?.packaging !== 'maven-plugin') return []
    const [, artifactId] = splitName(name)
    return [{ artifactId, name: textOf(pom.name) ?? artifactId }]
  })
  if (plugins.length === 0) return null
  return documentOf(
    '<metadata>',
    '<plugins>',
    ...plugins.flatMap(({ artifactId, name }) => [
      '<plugin>',
      element('name', name),
      element('prefix', goalPrefix(artifactId)),
      element('artifactId', artifactId),
      '</plugin>',
    ]),
    '</plugins>',
    '</metadata>',
  )
}
