/**
 * Converts files as a checkout does (git's convert.c): `ident` and line ends, by the attributes of
 * their path. No filter and no configuration applies, as on a server.
 */
import type { Attributes } from '../attributes/index.ts'
import type { Oid } from '../ports.ts'

type LineEnds = 'as_stored' | 'crlf' | 'crlf_unless_binary'

/** Which line ends the attributes `text`, `crlf` and `eol` ask for (`convert_attrs`). */
function lineEndsOf(attributes: Attributes): LineEnds {
  const text = attributes.get('text') ?? attributes.get('crlf')
  if (text === false || attributes.get('eol') !== 'crlf') return 'as_stored'
  return text === 'auto' ? 'crlf_unless_binary' : 'crlf'
}

/** Converts a file for a working tree. `oid` is the id of the blob. */
export function convertFile(data: Uint8Array, oid: Oid, attributes: Attributes): Uint8Array {
  if (attributes.size === 0) return data
  const expanded = attributes.get('ident') === true ? expandIdent(data, oid) : data
  return convertLineEnds(expanded, lineEndsOf(attributes))
}

function convertLineEnds(data: Uint8Array, lineEnds: LineEnds): Uint8Array {
  if (lineEnds === 'as_stored') return data
  const stats = countBytes(data)
  const isLeft = stats.hasLoneCr || stats.hasCrLf || stats.isBinary
  if (stats.loneLf === 0 || (lineEnds === 'crlf_unless_binary' && isLeft)) return data
  const converted = new Uint8Array(data.length + stats.loneLf)
  let at = 0
  for (let i = 0; i < data.length; i++) {
    if (data[i] === 0x0a && data[i - 1] !== 0x0d) converted[at++] = 0x0d
    converted[at++] = data[i]!
  }
  return converted
}

type ByteStats = {
  readonly loneLf: number
  readonly hasLoneCr: boolean
  readonly hasCrLf: boolean
  readonly isBinary: boolean
}

/** Control characters that git counts as text: BS, HT, FF and ESC. */
const TEXT_CONTROLS: readonly number[] = [0x08, 0x09, 0x0c, 0x1b]

/** Counts as `gather_stats` and `convert_is_binary` do. */
function countBytes(data: Uint8Array): ByteStats {
  let [loneLf, loneCr, crLf, nul, printable, other] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < data.length; i++) {
    const byte = data[i]!
    if (byte === 0x0d) {
      if (data[i + 1] === 0x0a) {
        crLf++
        i++
      } else loneCr++
    } else if (byte === 0x0a) loneLf++
    else if ((byte >= 32 && byte !== 127) || TEXT_CONTROLS.includes(byte)) printable++
    else {
      other++
      if (byte === 0) nul++
    }
  }
  // A Ctrl-Z at the end is the end-of-file mark of DOS.
  if (data.at(-1) === 0x1a) other--
  const isBinary = loneCr > 0 || nul > 0 || printable >>> 7 < other
  return { loneLf, hasLoneCr: loneCr > 0, hasCrLf: crLf > 0, isBinary }
}

/** Replaces `$Id$` and an expanded `$Id: … $` with the id of the blob (`ident_to_worktree`). */
function expandIdent(data: Uint8Array, oid: Oid): Uint8Array {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  if (!bytes.includes('$Id')) return data
  const parts: Uint8Array[] = []
  let from = 0
  for (let dollar = bytes.indexOf('$'); dollar >= 0; dollar = bytes.indexOf('$', from)) {
    parts.push(bytes.subarray(from, dollar + 1))
    from = dollar + 1
    if (bytes.length - from < 3 || bytes.toString('latin1', from, from + 2) !== 'Id') continue
    let end = from + 2
    if (bytes[end] === 0x3a) {
      end = bytes.indexOf('$', from + 3)
      if (end < 0) break
      if (bytes.subarray(from + 3, end).includes(0x0a)) continue
      // Another versioning system wrote text with several words.
      const space = bytes.indexOf(' ', from + 4)
      if (space >= 0 && space < end - 1) continue
    } else if (bytes[end] !== 0x24) continue
    parts.push(Buffer.from(`Id: ${oid} $`))
    from = end + 1
  }
  parts.push(bytes.subarray(from))
  return Buffer.concat(parts)
}
