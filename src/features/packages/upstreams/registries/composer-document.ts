/** Documents of Composer packages, with the addresses of this forge. Runs in a thread. */
import { sha256 } from '#lib/hash.ts'
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { normalComposerVersion } from '#lib/versions/composer.ts'
import type { DocumentQuestion, FoundFile } from '../documents.ts'

const UNSET = '__unset'
const MINIFIED = 'composer/2.0'
const SHA1 = /^[0-9a-f]{40}$/i

const withoutUnset = (version: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(version).filter(([, value]) => value !== UNSET))

/** Each entry of the minified form says what differs from the one before. */
function expand(entries: readonly JsonObject[]): JsonObject[] {
  let current: JsonObject = {}
  return entries.map((entry) => (current = withoutUnset({ ...current, ...entry })))
}

function minify(versions: readonly JsonObject[]): JsonObject[] {
  return versions.map((version, at) => {
    const before = versions[at - 1]
    if (before === undefined) return version
    const changed = Object.entries(version).filter(
      ([key, value]) =>
        !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value),
    )
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(version, key))
    return Object.fromEntries([...changed, ...gone.map((key) => [key, UNSET] as const)])
  })
}

/** The archive of a version; null when it has none that clients of this forge can get here. */
function archiveOf(version: JsonObject, url: string) {
  const { type, url: given, reference, shasum } = objectOf(version.dist)
  const address = typeof given === 'string' ? URL.parse(given, url) : null
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  if (type !== 'zip' && type !== 'tar') return null
  const number =
    normalComposerVersion(textOf(version.version_normalized) ?? textOf(version.version) ?? '') ?? ''
  const named = sha256(`${number} ${textOf(reference) ?? ''} ${address.href}`).slice(0, 32)
  const sha1 = textOf(shasum)
  return {
    file: `${number.replaceAll(/[^\w.+-]/g, '-').slice(0, 100)}~${named}.${type}`,
    url: address.href,
    ...(sha1 !== null && SHA1.test(sha1) && { sha1: sha1.toLowerCase() }),
  }
}

/** The archive comes from here; a repository of git stays as it is. */
function versionHere({ files, url }: DocumentQuestion, version: JsonObject): JsonObject {
  const archive = archiveOf(version, url)
  if (archive === null) {
    const { dist: _, ...rest } = version
    return rest
  }
  const dist = { ...objectOf(version.dist), url: `${files}${encodeURIComponent(archive.file)}` }
  const { mirrors: _, ...withoutMirrors } = dist as JsonObject
  return { ...version, dist: withoutMirrors }
}

/** Kinds: `versions`, and `file <name>`. Versions whose age is unknown are left out of young ones. */
export function composerDocument(
  text: string,
  question: DocumentQuestion,
): string | FoundFile | null {
  const { name, url, untilMs, want } = question
  const document: unknown = JSON.parse(text)
  const packages = isObject(document) ? objectOf(document.packages) : {}
  if (!isObject(document) || !Object.hasOwn(packages, name))
    throw new TypeError('it is not about this package')
  const entries = arrayOf(packages[name]).filter(isObject)
  const versions = (document.minified === MINIFIED ? expand(entries) : entries).filter(
    ({ time }) => untilMs === null || Date.parse(textOf(time) ?? '') <= untilMs,
  )
  if (want.startsWith('file ')) {
    const file = want.slice('file '.length)
    for (const version of versions) {
      const archive = archiveOf(version, url)
      if (archive?.file !== file) continue
      const { file: _, ...found } = archive
      return found
    }
    return null
  }
  const here = minify(versions.map((version) => versionHere(question, version)))
  return JSON.stringify({ minified: MINIFIED, packages: { [name]: here } })
}
