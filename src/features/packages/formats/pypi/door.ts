/** PyPI: the simple index at `/packages/<workspace>/pypi/simple/`, and uploads at its parent. */
import type { Hearth } from '#core/hearth.ts'
import { normalPythonName } from '#lib/lock-files/python.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentAnswer, downloadResponse, jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { readPackageIndex } from '../../read-package-index.ts'
import { noAddress, textResponse } from '../upload.ts'
import { escapeHtml, HTML_TYPE, htmlPage, JSON_TYPE } from './documents.ts'
import { upload } from './upload.ts'
import { addressOf } from './format.ts'

/** Installers name the JSON form; a browser does not. */
export const wantsJson = ({ headers }: DoorRequest): boolean => {
  const accept = headers.get('accept') ?? ''
  return accept.includes(JSON_TYPE) || accept.includes('application/vnd.pypi.simple.latest+json')
}

/** A page of strangers' names runs nothing. */
export const htmlHeaders = ({ headers }: DoorRequest): Record<string, string> => ({
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
  ...((headers.get('accept') ?? '').includes(HTML_TYPE) && { 'content-type': HTML_TYPE }),
})

async function readRoot(door: DoorRequest): Promise<Response> {
  const rows = await door.callOther(readPackageIndex, {
    workspace: door.workspace,
    package_type: 'pypi',
  })
  const names = rows.map(({ normal_name }) => normal_name).sort()
  const headers = { vary: 'Accept, Authorization', 'cache-control': 'private, no-cache' }
  if (wantsJson(door)) {
    const projects = names.map((name) => ({ name }))
    const body = { meta: { 'api-version': '1.1' }, projects }
    return jsonResponse(body, 200, { ...headers, 'content-type': JSON_TYPE })
  }
  const lines = names.map((name) => `<a href="${escapeHtml(name)}/">${escapeHtml(name)}</a>`)
  return new Response(htmlPage('Simple index', lines), {
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers, ...htmlHeaders(door) },
  })
}

async function readProject(hearth: Hearth, door: DoorRequest, name: string): Promise<Response> {
  const normal = normalPythonName(name)
  if (normal !== name)
    return new Response(null, {
      status: 308,
      headers: {
        location: `${addressOf(hearth.settings.site_url, door.workspace)}/simple/${encodeURIComponent(normal)}/`,
      },
    })
  const kind = wantsJson(door) ? 'json' : 'html'
  const document = await door.call(readPackageDocument, name, { kind })
  const headers = kind === 'html' ? htmlHeaders(door) : {}
  return door.keep(documentAnswer(document, headers))
}

async function readFile(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  file: string,
): Promise<Response> {
  const found = await door.call(openPackageFile, name, { path: file })
  return downloadResponse(hearth, door, found, { counts: !file.endsWith('.metadata') })
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { method } = door
  const parts = door.path.split('/')
  if (parts.at(-1) === '') parts.pop()
  const [folder = '', name = '', file = '', ...more] = parts
  if (method === 'POST' && (folder === '' || folder === 'legacy') && name === '')
    return upload(hearth, door)
  if (method !== 'GET' || more.length > 0) throw noAddress(door)
  if (folder === 'simple' && name === '') return readRoot(door)
  if (folder === 'simple' && file === '') return readProject(hearth, door, name)
  if (folder === 'files' && file !== '') return readFile(hearth, door, name, file)
  throw noAddress(door)
}

export const pypiDoor: FormatDoor = {
  type: 'pypi',
  handle,
  renderRefusal: ({ message, status }) => textResponse(`${message}\n`, status),
  challenge: () => 'Basic realm="Hearth"',
}
