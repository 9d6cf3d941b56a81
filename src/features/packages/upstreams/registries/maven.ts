/** Maven repositories, as Maven Central is. */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { textResponse } from '../../formats/upload.ts'
import { parseMavenPath, type MavenPath, type Sum } from '../../formats/maven/paths.ts'
import { hasNamesWithPrefix } from '../../store-lists.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import type { Cached, Source } from '../source.ts'
import type { Located } from '../read-through.ts'

const SHA1 = /^[0-9a-f]{40}$/
const MAX_SUM_BYTES = 1024

const pathOf = (door: DoorRequest, sum: Sum | null): string =>
  sum === null ? door.path : door.path.slice(0, -sum.length - 1)

async function hashOf(path: string, algorithm: Sum): Promise<string> {
  const hasher = new Bun.CryptoHasher(algorithm)
  for await (const part of Bun.file(path).stream()) hasher.update(part)
  return hasher.digest('hex')
}

/** The digest that the repository keeps beside the file. A few repositories have none. */
async function locate(source: Source, path: string, name: string): Promise<Located> {
  const url = source.urlOf(path)
  const beside = await source.readDocument({
    path: `${path}.sha1`,
    name,
    accept: '*/*',
    maxBytes: MAX_SUM_BYTES,
  })
  const text = beside === null ? '' : await Bun.file(beside.path).text()
  const sha1 = text.trim().split(/\s+/)[0]?.toLowerCase() ?? ''
  return SHA1.test(sha1) ? { url, expected: { sha1 } } : { url }
}

async function readPath(source: Source, path: MavenPath, name: string): Promise<Cached | null> {
  const { sum } = path
  const file = pathOf(source.door, sum)
  const maxBytes = source.hearth.settings.packages.max_file_bytes
  // A timestamped build of a snapshot is fixed, the name without a timestamp is not.
  const isFixed = path.kind === 'file' && !/-SNAPSHOT\b/i.test(path.file)
  if (!isFixed)
    // The sum is that of the document which the client has just read.
    return source.readDocument({ path: file, name, accept: '*/*', anyAge: sum !== null, maxBytes })
  return source.readFile({ key: file, name, locate: () => locate(source, file, name) })
}

const readAny = (path: MavenPath, name: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await readPath(source, path, name)
    if (cached === null || path.sum === null) return source.answerFile(cached, name)
    return textResponse(await hashOf(cached.path, path.sum))
  },
})

function parse(door: DoorRequest): UpstreamRead | null {
  try {
    const path = parseMavenPath(door.path)
    return readAny(path, path.kind === 'metadata' ? (path.name ?? path.group) : path.name)
  } catch (error) {
    // The format refuses what is no path of a repository.
    if (error instanceof Refusal) return null
    throw error
  }
}

/** The metadata of a group lists plugins of this forge, where there are any. */
function isOwn(
  { hearth, door }: { readonly hearth: Hearth; readonly door: DoorRequest },
  _name: string,
): boolean {
  const path = parseMavenPath(door.path)
  const facts = hearth.facts.workspace(door.workspace, door.caller)
  if (path.kind !== 'metadata' || facts === null) return false
  return hasNamesWithPrefix(hearth.db, facts.id, 'maven', `${path.group}:`)
}

export const mavenRegistry: Registry = { parse, isOwn }
