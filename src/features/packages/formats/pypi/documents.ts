/** The simple index in HTML (PEP 503) and JSON (PEP 691), with metadata beside files (PEP 658). */
import type { Hearth } from '#core/hearth.ts'
import { parseObject, textOf } from '../json.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions, listFilesOfPackage, type FileRow } from '../../store-versions.ts'

export const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'
export const HTML_TYPE = 'application/vnd.pypi.simple.v1+html'

const METADATA = '.metadata'

export const filesAddress = (site_url: string, workspace: string, normal_name: string): string =>
  `${site_url}/packages/${workspace}/pypi/files/${normal_name}`

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

type ListedFile = {
  readonly file: FileRow
  readonly url: string
  readonly requires_python: string | null
  readonly yanked: boolean
  readonly metadata_sha256: string | null
}

function listedFiles(hearth: Hearth, row: PackageRow, workspace: string): ListedFile[] {
  const versions = new Map(listActiveVersions(hearth.db, row.id).map((one) => [one.id, one]))
  const files = listFilesOfPackage(hearth.db, row.id)
  const digests = new Map(files.map(({ path, sha256 }) => [path, sha256]))
  const base = filesAddress(hearth.settings.site_url, workspace, row.normal_name)
  const requirement = new Map(
    [...versions].map(([id, { metadata }]) => [
      id,
      textOf(parseObject(metadata)?.requires_python) ?? null,
    ]),
  )
  return files.flatMap((file) => {
    const version = versions.get(file.version_id)
    if (!version || file.path.endsWith(METADATA)) return []
    return [
      {
        file,
        url: `${base}/${encodeURIComponent(file.path)}`,
        requires_python: requirement.get(file.version_id) ?? null,
        yanked: version.yanked === 1,
        metadata_sha256: digests.get(file.path + METADATA) ?? null,
      },
    ]
  })
}

function renderJson(hearth: Hearth, row: PackageRow, workspace: string): string {
  const files = listedFiles(hearth, row, workspace).map((listed) => {
    const core = listed.metadata_sha256 === null ? false : { sha256: listed.metadata_sha256 }
    return {
      filename: listed.file.path,
      url: listed.url,
      hashes: { sha256: listed.file.sha256 },
      ...(listed.requires_python !== null && { 'requires-python': listed.requires_python }),
      size: listed.file.size_in_bytes,
      'upload-time': listed.file.created_at,
      yanked: listed.yanked,
      'core-metadata': core,
      'dist-info-metadata': core,
    }
  })
  const versions = listActiveVersions(hearth.db, row.id).map(({ version }) => version)
  return JSON.stringify({ meta: { 'api-version': '1.1' }, name: row.normal_name, versions, files })
}

export const htmlPage = (title: string, lines: readonly string[]): string =>
  [
    '<!DOCTYPE html>',
    '<html>',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="pypi:repository-version" content="1.1">',
    `<title>${escapeHtml(title)}</title>`,
    '</head>',
    '<body>',
    `<h1>${escapeHtml(title)}</h1>`,
    ...lines.map((line) => `${line}<br>`),
    '</body>',
    '</html>',
    '',
  ].join('\n')

function renderHtml(hearth: Hearth, row: PackageRow, workspace: string): string {
  const lines = listedFiles(hearth, row, workspace).map((listed) => {
    const { file, requires_python, metadata_sha256 } = listed
    const attributes = [
      `href="${escapeHtml(listed.url)}#sha256=${file.sha256}"`,
      ...(requires_python === null
        ? []
        : [`data-requires-python="${escapeHtml(requires_python)}"`]),
      ...(metadata_sha256 === null
        ? []
        : [
            `data-core-metadata="sha256=${metadata_sha256}"`,
            `data-dist-info-metadata="sha256=${metadata_sha256}"`,
          ]),
      ...(listed.yanked ? ['data-yanked=""'] : []),
    ]
    return `<a ${attributes.join(' ')}>${escapeHtml(file.path)}</a>`
  })
  return htmlPage(`Links for ${row.normal_name}`, lines)
}

/** Kinds: `json`, and `html`. */
export function renderPypiDocument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  if (kind === 'json') return { text: renderJson(hearth, row, workspace), content_type: JSON_TYPE }
  if (kind === 'html')
    return { text: renderHtml(hearth, row, workspace), content_type: 'text/html; charset=utf-8' }
  return null
}
