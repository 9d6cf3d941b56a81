/** Sparse registries of Cargo, as crates.io is. */
import { isObject, textOf } from '#lib/json-value.ts'
import { parseObject } from '../../formats/json.ts'
import { indexPath } from '../../formats/cargo/crate-metadata.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { UpstreamFailure } from '../fetch.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import { locatedFile, type DocumentRequest, type Source } from '../source.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const VERSION = /^\d{1,20}\.\d{1,20}\.\d{1,20}(?:[-+][0-9A-Za-z.+-]{1,100})?$/
const MAX_CONFIG_BYTES = 64 * 1024

const index = (name: string): DocumentRequest => ({
  path: indexPath(name),
  name: name.toLowerCase(),
  accept: 'text/plain',
})

/** Where the registry has its crates. */
async function downloads(source: Source): Promise<string> {
  const request = { path: 'config.json', name: 'config.json', accept: 'application/json' }
  const cached = await source.readDocument({ ...request, maxBytes: MAX_CONFIG_BYTES })
  const config = cached && parseObject(await Bun.file(cached.path).text())
  const dl = isObject(config) ? textOf(config.dl) : null
  if (dl === null || dl.includes(' '))
    throw new UpstreamFailure('its config.json does not say where crates are')
  return dl
}

const readCrate = (name: string, version: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `${name.toLowerCase()}-${version}.crate`,
      name: name.toLowerCase(),
      locate: async () =>
        locatedFile(await source.find(index(name), `${version} ${await downloads(source)}`)),
    })
    return source.answerFile(cached, name)
  },
})

function parse(door: DoorRequest): UpstreamRead | null {
  const { path } = door
  const [, name = '', version = ''] =
    /^api\/v1\/crates\/([^/]+)\/([^/]+)\/download$/.exec(path) ?? []
  if (name !== '') return NAME.test(name) && VERSION.test(version) ? readCrate(name, version) : null
  const crate = path.split('/').at(-1) ?? ''
  if (!NAME.test(crate) || path !== indexPath(crate)) return null
  return {
    name: crate,
    answer: (source) =>
      source.answerRendered(index(crate), {
        want: 'index',
        files: '',
        content_type: 'text/plain; charset=utf-8',
      }),
  }
}

export const cargoRegistry: Registry = { parse }
