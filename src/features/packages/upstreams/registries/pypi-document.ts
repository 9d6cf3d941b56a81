/** Projects of simple indexes in JSON (PEP 691), with the addresses of this forge. In a thread. */
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { normalPythonName } from '#lib/lock-files/python.ts'
import { escapeHtml, htmlPage } from '../../formats/pypi/documents.ts'
import type { DocumentQuestion, FoundFile } from '../documents.ts'

const FILE = /^[A-Za-z0-9][\w.+!-]{0,299}$/
const METADATA = '.metadata'

type ListedFile = {
  readonly filename: string
  readonly url: string
  readonly hashes: Readonly<Record<string, unknown>>
  readonly file: JsonObject
}

/** Files that are old enough. A file without a time has an unknown age and is left out. */
function filesOf(project: JsonObject, { url, untilMs }: DocumentQuestion): ListedFile[] {
  return arrayOf(project.files).flatMap((file) => {
    if (!isObject(file)) return []
    const filename = textOf(file.filename) ?? ''
    const address = URL.parse(textOf(file.url) ?? '', url)
    if (!FILE.test(filename) || address === null) return []
    const isOld = untilMs === null || Date.parse(textOf(file['upload-time']) ?? '') <= untilMs
    return isOld ? [{ filename, url: address.href, hashes: objectOf(file.hashes), file }] : []
  })
}

/** The digests of the metadata beside a wheel (PEP 714 renamed the field); null without it. */
function metadataOf(file: JsonObject): JsonObject | null {
  const value = file['core-metadata'] ?? file['dist-info-metadata']
  return isObject(value) ? value : null
}

function renderJson(project: JsonObject, files: readonly ListedFile[], question: DocumentQuestion) {
  // With files left out, the list of versions would name some that are not there.
  const hasVersions = Array.isArray(project.versions) && question.untilMs === null
  return JSON.stringify({
    meta: { 'api-version': hasVersions ? '1.1' : '1.0' },
    name: question.name,
    ...(hasVersions && { versions: project.versions }),
    files: files.map(({ filename, hashes, file }) => {
      const core = metadataOf(file) ?? false
      return {
        filename,
        url: `${question.files}${encodeURIComponent(filename)}`,
        hashes,
        'requires-python': textOf(file['requires-python']),
        ...(typeof file.size === 'number' && { size: file.size }),
        ...(typeof file['upload-time'] === 'string' && { 'upload-time': file['upload-time'] }),
        yanked: file.yanked ?? false,
        'core-metadata': core,
        'dist-info-metadata': core,
      }
    }),
  })
}

const attribute = (name: string, value: string): string => `${name}="${escapeHtml(value)}"`

function htmlLine({ filename, hashes, file }: ListedFile, { files }: DocumentQuestion): string {
  const sha256 = textOf(hashes.sha256)
  const address = `${files}${encodeURIComponent(filename)}${sha256 === null ? '' : `#sha256=${sha256}`}`
  const python = textOf(file['requires-python'])
  const core = textOf(metadataOf(file)?.sha256)
  const { yanked } = file
  const attributes = [
    attribute('href', address),
    ...(python === null ? [] : [attribute('data-requires-python', python)]),
    ...(core === null ? [] : [attribute('data-core-metadata', `sha256=${core}`)]),
    ...(yanked ? [attribute('data-yanked', typeof yanked === 'string' ? yanked : '')] : []),
  ]
  return `<a ${attributes.join(' ')}>${escapeHtml(filename)}</a>`
}

const digestOf = (hashes: JsonObject): Omit<FoundFile, 'url'> => {
  const sha256 = textOf(hashes.sha256)
  return sha256 === null ? {} : { sha256: sha256.toLowerCase() }
}

function findFile(files: readonly ListedFile[], name: string): FoundFile | null {
  const isMetadata = name.endsWith(METADATA)
  const plain = isMetadata ? name.slice(0, -METADATA.length) : name
  const found = files.find(({ filename }) => filename === plain)
  if (!found) return null
  if (!isMetadata) return { url: found.url, ...digestOf(found.hashes) }
  const core = metadataOf(found.file)
  if (core === null) return null
  const url = new URL(found.url)
  url.pathname += METADATA
  return { url: url.href, ...digestOf(core) }
}

/** Kinds: `json`, `html`, and `file <name>`. */
export function pypiDocument(text: string, question: DocumentQuestion): string | FoundFile | null {
  const project: unknown = JSON.parse(text)
  if (!isObject(project)) throw new TypeError('it is not the JSON of a simple index (PEP 691)')
  const { name, want } = question
  if (normalPythonName(textOf(project.name) ?? name) !== name)
    throw new TypeError('it is not about this project')
  const files = filesOf(project, question)
  if (want.startsWith('file ')) return findFile(files, want.slice('file '.length))
  if (want === 'json') return renderJson(project, files, question)
  return htmlPage(
    `Links for ${name}`,
    files.map((file) => htmlLine(file, question)),
  )
}
