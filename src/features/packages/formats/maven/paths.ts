/** Addresses of Maven: `<group/as/path>/<artifact>/<version>/<file>`. */
import { invalid, Refusal } from '#lib/errors.ts'
import { isMavenVersion } from '#lib/versions/maven.ts'

const MAX_NAME_LENGTH = 250
const MAX_FILE_LENGTH = 300
const PART = /^[A-Za-z0-9_.-]+$/
const SNAPSHOT = /-SNAPSHOT$/i

/** The algorithms whose sums stand beside files. */
export type Sum = 'md5' | 'sha1' | 'sha256' | 'sha512'
const SUM = /\.(md5|sha1|sha256|sha512)$/

export type MavenPath =
  /** `maven-metadata.xml` of an artifact, or of a group with plugins. */
  | {
      readonly kind: 'metadata'
      readonly name: string | null
      readonly group: string
      readonly sum: Sum | null
    }
  /** `maven-metadata.xml` of a snapshot. */
  | {
      readonly kind: 'snapshot'
      readonly name: string
      readonly version: string
      readonly sum: Sum | null
    }
  | {
      readonly kind: 'file'
      readonly groupId: string
      readonly artifactId: string
      /** `<group>:<artifact>`. */
      readonly name: string
      readonly version: string
      readonly file: string
      readonly sum: Sum | null
    }

export const isSnapshot = (version: string): boolean => SNAPSHOT.test(version)

/** Throws 422 for anything but `<group>:<artifact>`. */
export function parseMavenName(text: string): string {
  const parts = text.split(':')
  const isName = parts.length === 2 && parts.every(isSafePart)
  if (isName && text.length <= MAX_NAME_LENGTH) return text
  throw invalid(
    'name',
    `${text.slice(0, 100)} is no name of an artifact: use <group>:<artifact> of letters, digits, ., - and _`,
  )
}

const isSafePart = (part: string): boolean => PART.test(part) && !/^\.+$/.test(part)

/** Throws 404 for a path that is no address of a repository of Maven. */
export function parseMavenPath(path: string): MavenPath {
  const parts = path.split('/')
  const last = parts.at(-1) ?? ''
  if (!parts.every(isSafeFile)) throw new Refusal('not_found', 'this is no path of a repository')
  const sum = (SUM.exec(last)?.[1] ?? null) as Sum | null
  const file = sum === null ? last : last.slice(0, -sum.length - 1)
  const folders = parts.slice(0, -1)
  const version = folders.at(-1) ?? ''
  if (file === 'maven-metadata.xml') {
    if (isSnapshot(version) && folders.length >= 3)
      return { kind: 'snapshot', name: nameOf(folders.slice(0, -1)), version, sum }
    return {
      kind: 'metadata',
      name: folders.length >= 2 ? nameOf(folders) : null,
      group: folders.join('.'),
      sum,
    }
  }
  if (folders.length < 3 || !isMavenVersion(version))
    throw new Refusal('not_found', 'a file is at <group>/<artifact>/<version>/<file>')
  const artifactId = folders.at(-2) ?? ''
  const groupId = folders.slice(0, -2).join('.')
  return { kind: 'file', groupId, artifactId, name: `${groupId}:${artifactId}`, version, file, sum }
}

const isSafeFile = (part: string): boolean =>
  part !== '' &&
  part.length <= MAX_FILE_LENGTH &&
  /^[\w.+~@()!-]+$/.test(part) &&
  !/^\.+$/.test(part)

const nameOf = (folders: readonly string[]): string =>
  `${folders.slice(0, -1).join('.')}:${folders.at(-1) ?? ''}`

const BUILD =
  /^(\d{8}\.\d{6})-(\d{1,9})(?:-([^.]+(?:\.[^.]+)*?))?\.((?:tar\.)?[^.]+|pom\.asc|jar\.asc)$/

export type SnapshotFile = {
  readonly timestamp: string
  readonly build: number
  /** Empty for the main file. */
  readonly classifier: string
  readonly extension: string
}

/** What a file of a snapshot says of its build: `lib-1.1-20260131.120000-2-sources.jar`. */
export function parseSnapshotFile(
  artifactId: string,
  version: string,
  file: string,
): SnapshotFile | null {
  const start = `${artifactId}-${version.replace(SNAPSHOT, '')}-`
  if (!file.startsWith(start)) return null
  const [, timestamp = '', build = '', classifier = '', extension = ''] =
    BUILD.exec(file.slice(start.length)) ?? []
  return timestamp === '' ? null : { timestamp, build: Number(build), classifier, extension }
}
