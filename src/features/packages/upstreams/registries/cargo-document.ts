/** Files of sparse indexes of Cargo (RFC 2789). Runs in a thread. */
import { objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import type { DocumentQuestion, FoundFile } from '../documents.ts'

/** The folders of a crate in the index. */
function prefixOf(name: string): string {
  if (name.length <= 2) return String(name.length)
  if (name.length === 3) return `3/${name.slice(0, 1)}`
  return `${name.slice(0, 2)}/${name.slice(2, 4)}`
}

/** Where crates are, with the markers that `dl` of an index may have. */
function downloadAddress(dl: string, line: JsonObject, version: string): string {
  const name = textOf(line.name) ?? ''
  const prefix = prefixOf(name)
  if (!/\{(?:crate|version|prefix|lowerprefix|sha256-checksum)\}/.test(dl))
    return `${dl}/${name}/${version}/download`
  return dl
    .replaceAll('{crate}', name)
    .replaceAll('{version}', version)
    .replaceAll('{prefix}', prefix)
    .replaceAll('{lowerprefix}', prefix.toLowerCase())
    .replaceAll('{sha256-checksum}', textOf(line.cksum) ?? '')
}

/** Kinds: `index`, and `file <version> <dl>`. Lines whose age is unknown are left out of young ones. */
export function cargoDocument(text: string, question: DocumentQuestion): string | FoundFile | null {
  const { name, untilMs, want } = question
  const lines = text.split('\n').flatMap((source) => {
    if (source.trim() === '') return []
    const line = objectOf(JSON.parse(source))
    if ((textOf(line.name) ?? '').toLowerCase() !== name.toLowerCase())
      throw new TypeError('it is not about this crate')
    const isOld = untilMs === null || Date.parse(textOf(line.pubtime) ?? '') <= untilMs
    return isOld ? [{ source, line }] : []
  })
  if (!want.startsWith('file '))
    return lines.length === 0 ? null : lines.map(({ source }) => `${source}\n`).join('')
  const [, version = '', dl = ''] = want.split(' ')
  const line = lines.find((one) => one.line.vers === version)?.line
  const sha256 = textOf(line?.cksum)
  if (!line || sha256 === null) return null
  return { url: downloadAddress(dl, line, version), sha256 }
}
