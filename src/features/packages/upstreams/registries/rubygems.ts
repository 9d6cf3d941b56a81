/**
 * Registries of gems, as rubygems.org is. Its compact index joins that of the workspace, so that
 * bundler finds both by one address. The older index of all gems stays that of the workspace.
 */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { TEXT } from '../../formats/rubygems/format.ts'
import { versionsFile } from '../../formats/rubygems/gem-index.ts'
import {
  digestsOf,
  type IndexDigests,
  indexResponse,
  namesIn,
  visibleGems,
} from '../../formats/rubygems/index-response.ts'
import { UpstreamFailure } from '../fetch.ts'
import type { Located } from '../read-through.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import type { Cached, DocumentRequest, Source } from '../source.ts'

const NAME = /^[A-Za-z0-9_](?:[\w.-]{0,198}[\w])?$/
const FULL_NAME = /^[\w.-]{1,300}$/
const CHECKSUM = /(?:[|,])checksum:([0-9a-f]{64})(?:,|$)/
/** The line after which the versions begin. */
const HEAD_END = '---\n'
const STALE = { warning: '110 - "Response is Stale"' }

/** The joined indexes of all gems, which have some 20 MiB. */
type Joined = { readonly body: Buffer; readonly digests: IndexDigests }
const joined = cache<Joined>('gem-indexes-with-upstream', {
  maxSize: 64 * 1024 ** 2,
  sizeOf: ({ body }) => body.length + 200,
})

/** Much more than the longest list of versions at rubygems.org. It is searched on the event loop. */
const MAX_INFO_BYTES = 16 * 1024 ** 2

const info = (name: string): DocumentRequest => ({
  path: `info/${name}`,
  name,
  accept: '*/*',
  maxBytes: MAX_INFO_BYTES,
})

/** The line that begins with a text; null for none. Splitting many lines takes a second. */
function lineAfter(bytes: Buffer, start: string): string | null {
  const at = bytes.indexOf(`\n${start}`)
  if (at < 0) return null
  const end = bytes.indexOf('\n', at + 1)
  return bytes.toString('utf8', at + 1, end < 0 ? bytes.length : end)
}

/**
 * The lines of the workspace come first: lines of the registry are added at the end all the time,
 * and bundler asks for what was added by a range.
 */
async function joinVersions(hearth: Hearth, own: Buffer, cached: Cached): Promise<Joined> {
  const key = `${sha256(own)} ${cached.row.sha256}`
  const known = joined(hearth).get(key)
  if (known) return known
  const bytes = Buffer.from(await Bun.file(cached.path).bytes())
  const at = bytes.indexOf(HEAD_END)
  if (at < 0) throw new UpstreamFailure('its list of versions has no beginning')
  const body = Buffer.concat([own, bytes.subarray(at + HEAD_END.length)])
  const made = { body, digests: digestsOf(body) }
  joined(hearth).set(key, made)
  return made
}

/** The gems of the workspace are listed also while the registry is away and was never read. */
async function readAll(source: Source): Promise<Cached | null> {
  try {
    return await source.readDocument({ path: 'versions', name: 'versions', accept: '*/*' })
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'upstream') return null
    throw error
  }
}

const readVersions: UpstreamRead = {
  name: '',
  answer: async (source) => {
    const { hearth, door } = source
    const own = await versionsFile(hearth, await visibleGems(door))
    const cached = await readAll(source)
    if (cached === null) return indexResponse(door, own, TEXT, STALE)
    const { body, digests } = await joinVersions(hearth, own, cached)
    return indexResponse(door, body, TEXT, cached.isStale ? STALE : {}, digests)
  },
}

const readInfo = (name: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readDocument(info(name))
    if (cached === null) throw source.missing(name)
    const body = await Bun.file(cached.path).bytes()
    return indexResponse(source.door, body, TEXT, cached.isStale ? STALE : {})
  },
})

/** The name of the gem of a file, with the line of its version; null when there is none. */
async function findLine(
  source: Source,
  fullName: string,
): Promise<{ readonly name: string; readonly line: string } | null> {
  for (const name of namesIn(fullName).filter((one) => NAME.test(one))) {
    const cached = await source.readDocument(info(name))
    if (cached === null) continue
    const start = `${fullName.slice(name.length + 1)} `
    const line = lineAfter(Buffer.from(await Bun.file(cached.path).bytes()), start)
    if (line !== null) return { name, line }
  }
  return null
}

/** Without a digest in the index a gem is refused; specifications have none anywhere. */
async function locate(source: Source, fullName: string, path: string): Promise<Located | null> {
  const found = await findLine(source, fullName)
  if (found === null) return null
  const url = source.urlOf(path)
  if (!path.startsWith('gems/')) return { url }
  const digest = CHECKSUM.exec(found.line)?.[1]
  if (digest === undefined) throw new UpstreamFailure('its index names no digest of the gem')
  return { url, sha256: digest }
}

const readFile = (fullName: string, path: string): UpstreamRead => {
  const names = namesIn(fullName)
  return {
    name: names[0] ?? fullName,
    otherNames: names.slice(1),
    answer: async (source) => {
      const name = (await findLine(source, fullName))?.name ?? names[0] ?? fullName
      const cached = await source.readFile({
        key: path,
        name,
        locate: () => locate(source, fullName, path),
      })
      return source.answerFile(cached, name, { 'content-type': 'application/octet-stream' })
    },
  }
}

function parse({ path }: DoorRequest): UpstreamRead | null {
  if (path === 'versions') return readVersions
  if (path.startsWith('info/')) {
    const name = path.slice('info/'.length)
    return NAME.test(name) ? readInfo(name) : null
  }
  const [, fullName = ''] =
    /^gems\/([^/]+)\.gem$/.exec(path) ??
    /^quick\/Marshal\.4\.8\/([^/]+)\.gemspec\.rz$/.exec(path) ??
    []
  return FULL_NAME.test(fullName) && namesIn(fullName).length > 0 ? readFile(fullName, path) : null
}

export const rubygemsRegistry: Registry = { parse }
