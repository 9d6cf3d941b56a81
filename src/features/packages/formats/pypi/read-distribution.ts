/** Reads the metadata of a wheel or a source distribution (core metadata, PEP 566 and later). */
import { invalid } from '#lib/errors.ts'
import { normalPythonText, parsePythonVersion } from '#lib/versions/pep440.ts'
import { findInTar, findInZip } from '../read-archive.ts'
import {
  isNamedAfter,
  parseDistributionName,
  parsePythonName,
  type DistributionName,
} from './names.ts'

export type Distribution = {
  readonly kind: DistributionName['kind']
  readonly name: string
  /** In the one spelling of PEP 440. */
  readonly version: string
  /** The document as it is in the file. */
  readonly document: Uint8Array
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  readonly readme: string | null
}

/** Fields that may come more than once. */
const REPEATED = new Set([
  'platform',
  'supported_platform',
  'classifier',
  'requires_dist',
  'requires_external',
  'provides_extra',
  'provides_dist',
  'obsoletes_dist',
  'project_url',
  'dynamic',
  'license_file',
  'import_name',
])
const MAX_FIELDS = 5_000
const HEADER = /^([A-Za-z][A-Za-z0-9-]*):[ \t]?(.*)$/

/** The headers end at the first empty line, which may be the first of all. */
function splitDocument(text: string): { head: string; body: string } {
  const end = `\n${text}`.indexOf('\n\n')
  return end < 0
    ? { head: text, body: '' }
    : { head: text.slice(0, Math.max(0, end - 1)), body: text.slice(end + 1) }
}

/** Headers as in mail, then the description. The names of fields are in lower case with `_`. */
export function parseCoreMetadata(text: string): {
  fields: Record<string, string | string[]>
  body: string
} {
  const fields: Record<string, string | string[]> = Object.create(null)
  const { head, body } = splitDocument(text.replaceAll('\r\n', '\n'))
  let last = ''
  for (const line of head.split('\n', MAX_FIELDS)) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') appendLine(fields, last, line)
    else {
      last = name.toLowerCase().replaceAll('-', '_')
      const there = fields[last]
      if (!REPEATED.has(last)) fields[last] ??= value.trim()
      else if (Array.isArray(there)) there.push(value.trim())
      else fields[last] = [value.trim()]
    }
  }
  return { fields, body }
}

/** A line that begins with white space goes on with the field before it. */
function appendLine(fields: Record<string, string | string[]>, name: string, line: string): void {
  const value = fields[name]
  if (typeof value === 'string') fields[name] = `${value}\n${line.replace(/^ {0,8}\|?/, '')}`
}

const textIn = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : ''

async function findDocument(
  { kind }: DistributionName,
  file: string,
  path: string,
  size: number,
): Promise<Uint8Array | null> {
  const isZip = kind === 'wheel' || file.endsWith('.zip')
  const isChosen = (name: string): boolean => {
    const [folder = '', last = '', ...more] = name.split('/')
    if (more.length > 0) return false
    return kind === 'wheel'
      ? folder.endsWith('.dist-info') && last === 'METADATA'
      : last === 'PKG-INFO'
  }
  if (!isZip) return (await findInTar(path, size, { isGzip: true, isChosen }))?.bytes ?? null
  const found = await findInZip(path, size, isChosen)
  if (found.length > 1) throw invalid('content', `${file} has two documents of metadata`)
  return found[0]?.bytes ?? null
}

/** Throws 422 for a file that is broken, or that says another name or version than its own name. */
export async function readDistribution(
  file: string,
  path: string,
  size: number,
): Promise<Distribution> {
  const named = parseDistributionName(file)
  const document = await findDocument(named, file, path, size)
  const place = named.kind === 'wheel' ? '.dist-info/METADATA' : 'PKG-INFO'
  if (document === null) throw invalid('content', `${file} has no ${place}`)
  const { fields, body } = parseCoreMetadata(new TextDecoder().decode(document))
  const name = parsePythonName(textIn(fields.name))
  const version = textIn(fields.version)
  if (parsePythonVersion(version) === null)
    throw invalid('version', `${version.slice(0, 100)} is no version of Python (PEP 440)`)
  if (!isNamedAfter(named, name, version))
    throw invalid('content', `${file} holds ${name} ${version}, which its name does not say`)
  const description = textIn(fields.description) || body
  const { description: _, ...rest } = fields
  return {
    kind: named.kind,
    name,
    version: normalPythonText(version),
    document,
    fields: rest,
    readme: description.trim() === '' ? null : description,
  }
}
