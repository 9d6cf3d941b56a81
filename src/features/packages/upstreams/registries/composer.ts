/** Composer repositories with `metadata-url`, as Packagist is. */
import { isObject, textOf } from '#lib/json-value.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { addressOf, rootDocument } from '../../formats/composer/format.ts'
import { parseObject } from '../../formats/json.ts'
import { UpstreamFailure } from '../fetch.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import { locatedFile, type DocumentRequest, type Source } from '../source.ts'

const PART = '[a-z0-9](?:[_.-]?[a-z0-9]+)*'
const NAME = new RegExp(`^${PART}/${PART}$`)
const MAX_NAME_LENGTH = 200
const METADATA = /^p2\/([^/]+\/[^/]+?)(~dev)?\.json$/
const FILE = /^files\/([^/]+\/[^/]+)\/([\w.+~-]{1,300}\.(?:zip|tar))$/
const MAX_ROOT_BYTES = 1024 ** 2

/** Where the repository has the documents of packages. */
async function metadataUrl(source: Source): Promise<string> {
  const request = { path: 'packages.json', name: 'packages.json', accept: 'application/json' }
  const cached = await source.readDocument({ ...request, maxBytes: MAX_ROOT_BYTES })
  const root = cached && parseObject(await Bun.file(cached.path).text())
  const template = isObject(root) ? textOf(root['metadata-url']) : null
  if (template === null || !template.includes('%package%'))
    throw new UpstreamFailure('its packages.json has no metadata-url, which Composer 2 reads')
  return template
}

async function metadata(source: Source, name: string, end: string): Promise<DocumentRequest> {
  const template = await metadataUrl(source)
  const url = URL.parse(
    template.replace('%package%', () => name + end),
    source.urlOf('packages.json'),
  )
  if (url === null) throw new UpstreamFailure('its metadata-url is no address')
  return { path: `p2/${name}${end}.json`, url, name, accept: 'application/json' }
}

const readMetadata = (name: string, end: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const base = addressOf(source.hearth.settings.site_url, source.door.workspace)
    return source.answerRendered(await metadata(source, name, end), {
      want: 'versions',
      files: `${base}/files/${name}/`,
      content_type: 'application/json',
    })
  },
})

/** Most archives have no digest: a commit names them, and so does their file here. */
const readFile = (name: string, file: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `files/${name}/${file}`,
      name,
      locate: async () => {
        for (const end of ['', '~dev']) {
          const found = await source.find(await metadata(source, name, end), file)
          if (found !== null)
            return found.sha1 === undefined ? { url: new URL(found.url) } : locatedFile(found)
        }
        return null
      },
    })
    const type = file.endsWith('.zip') ? 'application/zip' : 'application/x-tar'
    return source.answerFile(cached, name, { 'content-type': type })
  },
})

/** With the upstream every name may be here, so that Composer asks for each. */
const readRoot: UpstreamRead = {
  name: '',
  answer: ({ hearth, door }) =>
    Promise.resolve(jsonResponse(rootDocument(hearth.settings.site_url, door.workspace, null))),
}

const isName = (name: string): boolean => name.length <= MAX_NAME_LENGTH && NAME.test(name)

function parse({ path }: DoorRequest): UpstreamRead | null {
  if (path === 'packages.json') return readRoot
  const [, asked = '', end = ''] = METADATA.exec(path) ?? []
  if (isName(asked)) return readMetadata(asked, end)
  const [, name = '', file = ''] = FILE.exec(path) ?? []
  return isName(name) ? readFile(name, file) : null
}

export const composerRegistry: Registry = { parse }
