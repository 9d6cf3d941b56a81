/** Proxies of Go modules, as proxy.golang.org is (https://go.dev/ref/mod#goproxy-protocol). */
import { decide } from '#core/access.ts'
import { repoByPath } from '#features/repos/index.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { readGoModule } from '../../read-go-module.ts'
import { isAllowed, type Here, type Registry, type UpstreamRead } from '../registry.ts'

const ELEMENT = /^[a-z0-9_~!.-][a-z0-9_~!.+-]*$/
/** A version, in contrast to the name of a branch: what is under it never changes. */
const VERSION = /^v\d{1,20}\.\d{1,20}\.\d{1,20}(?:[-+][0-9A-Za-z.+!-]{1,200})?$/
const QUERY = /^[A-Za-z0-9_!][\w.+!~-]{0,199}$/
/** Only what `URL` leaves as it is: a backslash, or `%2e%2e`, would lead out of the proxy. */
const CHECKSUMS = /^sumdb\/[a-z0-9.-]+\/(?:supported|latest|lookup\/[\w./~!@+-]+|tile\/[\w./-]+)$/
const MAX_PATH_LENGTH = 1_000

const TYPES: Readonly<Record<string, string>> = {
  info: 'application/json',
  mod: 'text/plain; charset=utf-8',
  zip: 'application/zip',
}

const isSafe = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH &&
  path.split('/').every((part) => part !== '' && !/^\.+$/.test(part))

const readDocument = (name: string, path: string, content_type: string): UpstreamRead => ({
  name,
  answer: async (source) =>
    source.answerFile(await source.readDocument({ path, name, accept: '*/*' }), name, {
      'content-type': content_type,
    }),
})

const readFile = (name: string, path: string, content_type: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: path,
      name,
      // The go command holds modules against go.sum and the checksum database itself.
      locate: () => ({ url: source.urlOf(path) }),
    })
    return source.answerFile(cached, name, { 'content-type': content_type })
  },
})

/** The checksum database, so that the go command needs no other way out. */
const readChecksums = (path: string): UpstreamRead => {
  const [, , module = path] = /^(sumdb\/[^/]+\/lookup\/)([^@]+)/.exec(path) ?? []
  const isFixed = path.includes('/tile/') && !path.includes('.p/')
  const read = isFixed ? readFile : readDocument
  return read(module, path, 'text/plain; charset=utf-8')
}

function parse(door: DoorRequest): UpstreamRead | null {
  const { path } = door
  if (!isSafe(path)) return null
  if (path.startsWith('sumdb/')) return CHECKSUMS.test(path) ? readChecksums(path) : null
  const at = path.endsWith('/@latest') ? path.length - '/@latest'.length : path.indexOf('/@v/')
  const name = path.slice(0, Math.max(0, at))
  if (name === '' || !name.split('/').every((part) => ELEMENT.test(part))) return null
  const rest = path.slice(at + 1)
  if (rest === '@latest') return readDocument(name, path, TYPES.info ?? '')
  if (rest === '@v/list') return readDocument(name, path, TYPES.mod ?? '')
  const [, version = '', extension = ''] = /^@v\/(.+)\.(info|mod|zip)$/.exec(rest) ?? []
  const type = TYPES[extension]
  if (type === undefined || !QUERY.test(version)) return null
  return VERSION.test(version) ? readFile(name, path, type) : readDocument(name, path, type)
}

/** The parts of the path of a module as it is written. */
const partsOf = (name: string): string[] =>
  name.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase()).split('/')

/**
 * Modules of this forge, and of repositories that the workspace has, under whatever host: a module
 * `github.com/acme/tool` is that of the repository `acme/tool` here.
 */
function isOwn({ hearth, door }: Here, name: string): boolean {
  const [host = '', owner = '', repo = ''] = partsOf(name)
  const site = new URL(hearth.settings.site_url)
  if (host === site.hostname || host === site.host) return true
  const isWorkspace = owner.toLowerCase() === door.workspace.toLowerCase()
  return isWorkspace && repoByPath(hearth.db, `${owner}/${repo}`) !== null
}

function isVisible({ hearth, door }: Here, name: string): boolean {
  const [, owner = '', repo = ''] = partsOf(name)
  const target = { repo: `${owner}/${repo}` }
  return isAllowed(() => decide(readGoModule.access, door.caller, target, hearth.facts))
}

export const goRegistry: Registry = { parse, isOwn, isVisible }
