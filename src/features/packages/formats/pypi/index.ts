/** PyPI: the simple index at `/packages/<workspace>/pypi/simple/`, and uploads at its parent. */
import type { Hearth } from '#core/hearth.ts'
import { normalPythonName } from '#lib/lock-files/python.ts'
import { canonicalPythonText, isPythonPrerelease, pythonKey } from '#lib/versions/pep440.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentResponse, fileResponse, jsonResponse } from '../../door/door-response.ts'
import type { Format, SnippetContext } from '../../format.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { readPackageIndex } from '../../read-package-index.ts'
import { textOf, textsOf } from '../json.ts'
import { noAddress, textResponse } from '../upload.ts'
import {
  escapeHtml,
  filesAddress,
  HTML_TYPE,
  htmlPage,
  JSON_TYPE,
  renderPypiDocument,
} from './documents.ts'
import { parsePythonName } from './names.ts'
import { upload } from './upload.ts'

const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/pypi`

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
  if (wantsJson(door))
    return documentResponse(door, await door.call(readPackageDocument, name, { kind: 'json' }))
  const document = await door.call(readPackageDocument, name, { kind: 'html' })
  return documentResponse(door, document, htmlHeaders(door))
}

async function readFile(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  file: string,
): Promise<Response> {
  const counts = door.isFromStart && !file.endsWith('.metadata')
  const found = await door.call(openPackageFile, name, { path: file, counts })
  return fileResponse(hearth, door, found)
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

/** The address with the token in it, as pip takes it. */
const withToken = (address: string): string =>
  address.replace(/^(https?:\/\/)/, '$1__token__:$HEARTH_TOKEN@')

const SOURCE_LABELS = /^(?:source(?: code)?|repository|code|github|homepage)$/i

/** `Label, https://…` of the fields `project_url`. */
function sourceOf(metadata: Readonly<Record<string, unknown>>): string | null {
  for (const line of textsOf(metadata.project_url)) {
    const comma = line.indexOf(',')
    const label = line.slice(0, Math.max(0, comma)).trim()
    if (SOURCE_LABELS.test(label)) return line.slice(comma + 1).trim()
  }
  return textOf(metadata.home_page)
}

const requirementOf = ({ name, version }: SnippetContext): string =>
  version === null ? name : `${name}==${version}`

export const pypi: Format = {
  type: 'pypi',
  parseName: parsePythonName,
  normalName: normalPythonName,
  normalVersion: canonicalPythonText,
  compareVersions: (a, b) => compareKeys(pythonKey(a), pythonKey(b)),
  isPrerelease: isPythonPrerelease,
  address: (site_url, workspace) => `${addressOf(site_url, workspace)}/simple/`,
  fileUrl: (site_url, workspace, name, path) =>
    `${filesAddress(site_url, workspace, normalPythonName(name))}/${encodeURIComponent(path)}`,
  exampleName: (workspace) => `${workspace}-hello`,
  install: (context) => {
    const simple = withToken(`${addressOf(context.site_url, context.workspace)}/simple/`)
    return [
      {
        client: 'pip',
        file: null,
        code: `pip install --extra-index-url ${simple} ${requirementOf(context)}`,
      },
      {
        client: 'uv',
        file: null,
        code: `export UV_INDEX_${envName(context.workspace)}_USERNAME=__token__ UV_INDEX_${envName(context.workspace)}_PASSWORD=$HEARTH_TOKEN\nuv add --index ${context.workspace}=${addressOf(context.site_url, context.workspace)}/simple/ ${requirementOf(context)}`,
      },
    ]
  },
  publish: ({ site_url, workspace }) => [
    {
      client: 'twine',
      file: null,
      code: `python -m build\ntwine upload --repository-url ${addressOf(site_url, workspace)}/ --username __token__ --password $HEARTH_TOKEN dist/*`,
    },
    {
      client: 'uv',
      file: null,
      code: `uv build\nuv publish --publish-url ${addressOf(site_url, workspace)}/ --token $HEARTH_TOKEN`,
    },
  ],
  renderDocument: renderPypiDocument,
  sourceOf,
  handle,
  renderRefusal: ({ message, status }) => textResponse(`${message}\n`, status),
  challenge: () => 'Basic realm="Hearth"',
}

function envName(workspace: string): string {
  return workspace.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}
