/**
 * Go modules: a proxy at `/packages/<workspace>/go/` (https://go.dev/ref/mod#goproxy-protocol). The
 * versions are the tags of repositories, so nothing is uploaded.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { readGoModule } from '../../read-go-module.ts'
import { noAddress, textResponse } from '../upload.ts'
import { parseModulePath, unescapeGo, type ModulePath } from './module-path.ts'
import { moduleZip } from './module-zip.ts'

const VERSION = /^@v\/(.+)\.(info|mod|zip)$/

async function readVersion(
  hearth: Hearth,
  door: DoorRequest,
  path: ModulePath,
  asked: { readonly kind: 'latest' } | { readonly kind: 'version'; readonly version: string },
  extension: string,
): Promise<Response> {
  const { store, found } = await door.callOther(readGoModule, { repo: path.repo, path, ...asked })
  if (found === null) throw noAddress(door)
  if (extension === 'mod') return textResponse(found.mod)
  if (extension === 'zip')
    return new Response(await moduleZip(hearth, store, path.module, found), {
      headers: {
        'content-type': 'application/zip',
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'attachment',
      },
    })
  const time = found.time.toISOString().replace('.000Z', 'Z')
  return jsonResponse({ Version: found.version, Time: time })
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { path, method } = door
  if (method !== 'GET') throw noAddress(door)
  const at = path.endsWith('/@latest') ? path.length - '/@latest'.length : path.indexOf('/@v/')
  // The checksum database is asked for here first; the go command then goes there itself.
  if (at <= 0 || path.startsWith('sumdb/')) throw noAddress(door)
  const module = parseModulePath(path.slice(0, at), door.workspace)
  const rest = path.slice(at + 1)
  if (rest === '@latest') return readVersion(hearth, door, module, { kind: 'latest' }, 'info')
  if (rest === '@v/list') {
    const input = { repo: module.repo, path: module, kind: 'list' as const }
    const { versions } = await door.callOther(readGoModule, input)
    return textResponse(versions.map((version) => `${version}\n`).join(''))
  }
  const [, version = '', extension = ''] = VERSION.exec(rest) ?? []
  if (version === '') throw noAddress(door)
  const asked = { kind: 'version' as const, version: unescapeGo(version) }
  return readVersion(hearth, door, module, asked, extension)
}

export const goDoor: FormatDoor = {
  type: 'go',
  handle,
  // The go command goes on to the next proxy after 404 and 410 only.
  renderRefusal: ({ message, status }: Refusal) =>
    textResponse(`not found: ${message}\n`, status === 422 ? 404 : status),
  challenge: () => 'Basic realm="Hearth"',
}
