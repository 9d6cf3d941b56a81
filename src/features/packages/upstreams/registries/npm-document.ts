/** Packuments of npm registries, with the addresses of this forge. Runs in a thread. */
import { isObject, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { parseSemver } from '#lib/versions/semver.ts'
import { slimPiece } from '../../formats/npm/documents.ts'
import type { DocumentQuestion, FoundFile } from '../documents.ts'

type Versions = readonly (readonly [version: string, manifest: JsonObject])[]

const fileOf = (name: string, version: string): string =>
  `${name.split('/').at(-1) ?? name}-${version}.tgz`

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

/** Versions that are old enough. Without a time for a version its age is unknown, so it is left out. */
function versionsOf(packument: JsonObject, untilMs: number | null): Versions {
  const time = objectOf(packument.time)
  return Object.entries(objectOf(packument.versions)).flatMap(([version, manifest]) => {
    if (!isObject(manifest) || parseSemver(version) === null) return []
    const isOld = untilMs === null || Date.parse(textOf(time[version]) ?? '') <= untilMs
    return isOld ? [[version, manifest] as const] : []
  })
}

const isStable = (version: string): boolean => parseSemver(version)?.prerelease.length === 0

const highest = (versions: readonly string[]): string | null =>
  versions.reduce<string | null>(
    (best, one) => (best === null || Bun.semver.order(one, best) > 0 ? one : best),
    null,
  )

/** `latest` goes back to the highest version that is there, because every install needs it. */
function tagsOf(packument: JsonObject, versions: Versions): Record<string, string> {
  const there = new Set(versions.map(([version]) => version))
  const asked = Object.entries(objectOf(packument['dist-tags'])).flatMap(([tag, version]) =>
    typeof version === 'string' ? [[tag, version] as const] : [],
  )
  const tags = Object.fromEntries(asked.filter(([, version]) => there.has(version)))
  const wanted = asked.find(([tag]) => tag === 'latest')?.[1]
  if (tags.latest !== undefined || wanted === undefined) return tags
  const stable = [...there].filter(isStable)
  const before = stable.filter((version) => Bun.semver.order(version, wanted) <= 0)
  const latest = highest(before) ?? highest(stable) ?? highest([...there])
  return latest === null ? tags : { ...tags, latest }
}

function manifestHere(
  { name, files }: DocumentQuestion,
  version: string,
  manifest: JsonObject,
): JsonObject {
  const tarball = `${files}${encodeURIComponent(fileOf(name, version))}`
  return { ...manifest, dist: { ...objectOf(manifest.dist), tarball } }
}

function slim(question: DocumentQuestion, version: string, manifest: JsonObject): JsonObject {
  const here = manifestHere(question, version, manifest)
  const piece = JSON.parse(slimPiece(here)) as Record<string, unknown>
  const { deprecated, hasInstallScript, _hasShrinkwrap } = here
  return {
    ...piece,
    ...(hasInstallScript !== undefined && { hasInstallScript }),
    ...(_hasShrinkwrap !== undefined && { _hasShrinkwrap }),
    ...(deprecated !== undefined && { deprecated }),
    dist: here.dist,
  }
}

function renderPackument(
  question: DocumentQuestion,
  packument: JsonObject,
  versions: Versions,
): string {
  const tags = tagsOf(packument, versions)
  const time = objectOf(packument.time)
  if (question.want === 'slim')
    return JSON.stringify({
      name: question.name,
      modified: textOf(time.modified) ?? textOf(packument.modified) ?? undefined,
      'dist-tags': tags,
      versions: Object.fromEntries(
        versions.map(([version, manifest]) => [version, slim(question, version, manifest)]),
      ),
    })
  const there = new Set(['created', 'modified', ...versions.map(([version]) => version)])
  const { _attachments, _rev, ...rest } = packument
  return JSON.stringify({
    ...rest,
    'dist-tags': tags,
    time: Object.fromEntries(Object.entries(time).filter(([version]) => there.has(version))),
    versions: Object.fromEntries(
      versions.map(([version, manifest]) => [version, manifestHere(question, version, manifest)]),
    ),
  })
}

/** The strongest digest of `sha512-… sha1-…`, in hex digits. */
function digestsOf(dist: JsonObject): Omit<FoundFile, 'url'> {
  const values = (textOf(dist.integrity) ?? '').slice(0, 2000).split(/\s+/)
  const find = (name: string): string | null =>
    values.find((value) => value.startsWith(`${name}-`))?.slice(name.length + 1) ?? null
  const sha512 = find('sha512')
  if (sha512 !== null) return { sha512: hexOf(sha512) }
  const sha256 = find('sha256')
  if (sha256 !== null) return { sha256: hexOf(sha256) }
  const sha1 = textOf(dist.shasum)
  return sha1 === null ? {} : { sha1: sha1.toLowerCase() }
}

function findFile({ url, name }: DocumentQuestion, versions: Versions, file: string) {
  const isNamed = ([, manifest]: Versions[number]): boolean => {
    const address = textOf(objectOf(manifest.dist).tarball) ?? ''
    return decodeURIComponent(URL.parse(address, url)?.pathname.split('/').at(-1) ?? '') === file
  }
  const found =
    versions.find(([version]) => fileOf(name, version) === file) ?? versions.find(isNamed)
  if (!found) return null
  const dist = objectOf(found[1].dist)
  const address = URL.parse(textOf(dist.tarball) ?? '', url)
  return address === null ? null : { url: address.href, ...digestsOf(dist) }
}

/** Kinds: `full`, `slim`, `dist-tags`, `version <number or tag>`, and `file <name>`. */
export function npmDocument(text: string, question: DocumentQuestion): string | FoundFile | null {
  const packument: unknown = JSON.parse(text)
  if (!isObject(packument) || packument.name !== question.name)
    throw new TypeError('it is not about this package')
  const versions = versionsOf(packument, question.untilMs)
  const { want } = question
  if (want.startsWith('file ')) return findFile(question, versions, want.slice('file '.length))
  if (versions.length === 0) return null
  const tags = tagsOf(packument, versions)
  if (want === 'dist-tags') return JSON.stringify(tags)
  if (!want.startsWith('version ')) return renderPackument(question, packument, versions)
  const asked = want.slice('version '.length)
  const found = versions.find(([version]) => version === (tags[asked] ?? asked))
  return found ? JSON.stringify(manifestHere(question, found[0], found[1])) : null
}
