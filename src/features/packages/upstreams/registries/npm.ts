/** Registries of npm (https://github.com/npm/registry/tree/main/docs). */
import type { DoorRequest } from '../../door/door-request.ts'
import { registryUrl } from '../../formats/npm/documents.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import { locatedFile, type DocumentRequest, type Source } from '../source.ts'

const SLIM_TYPE = 'application/vnd.npm.install-v1+json'
const PART = '[A-Za-z0-9~_-][A-Za-z0-9._~!-]{0,213}'
const NAME = new RegExp(`^(?:@${PART}/)?${PART}$`)
const FILE = /^(?:@[\w.~-]{1,214}\/)?[\w.~+!-]{1,300}\.tgz$/

const packument = (name: string): DocumentRequest => ({
  path: name.replace('/', '%2f'),
  name,
  // Only the full one says when versions were published.
  accept: 'application/json',
})

const filesOf = ({ hearth, door }: Source, name: string): string =>
  `${registryUrl(hearth.settings.site_url, door.workspace)}${name}/-/`

const readDocument = (name: string, want: string): UpstreamRead => ({
  name,
  answer: (source) =>
    source.answerRendered(packument(name), {
      want,
      files: filesOf(source, name),
      content_type: want === 'slim' ? SLIM_TYPE : 'application/json',
    }),
})

const readTarball = (name: string, file: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `${name}/-/${file}`,
      name,
      locate: async () => locatedFile(await source.find(packument(name), file)),
    })
    return source.answerFile(cached, name)
  },
})

/** The name at the beginning of a path, which has a slash after a scope. */
function splitName(parts: readonly string[]): [name: string, rest: string[]] {
  const length = parts[0]?.startsWith('@') ? 2 : 1
  return [parts.slice(0, length).join('/'), parts.slice(length)]
}

function parse(door: DoorRequest): UpstreamRead | null {
  const parts = door.path.split('/')
  if (parts[0] === '-') {
    const [name, rest] = parts[1] === 'package' ? splitName(parts.slice(2)) : ['', []]
    const isTags = NAME.test(name) && rest.length === 1 && rest[0] === 'dist-tags'
    return isTags ? readDocument(name, 'dist-tags') : null
  }
  const [name, rest] = splitName(parts)
  // What is about to be changed is never that of an upstream.
  if (!NAME.test(name) || door.query.get('write') === 'true') return null
  const [first = '', ...more] = rest
  if (first === '-') {
    const file = more.join('/')
    return FILE.test(file) ? readTarball(name, more.at(-1) ?? '') : null
  }
  if (more.length > 0) return null
  if (first !== '') return readDocument(name, `version ${first}`)
  const isSlim = door.headers.get('accept')?.includes(SLIM_TYPE) ?? false
  return readDocument(name, isSlim ? 'slim' : 'full')
}

export const npmRegistry: Registry = { parse }
