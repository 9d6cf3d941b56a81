/**
 * Creates commits from other commits. Unchanged parts are copied as bytes, whatever their encoding.
 */
import { formatSignature } from '../object.ts'
import { GitError, type ObjectReader, type Oid, type Signature } from '../ports.ts'

/** A commit's author line, encoding line (if any) and message, as bytes in latin1 text. */
export type RawCommit = {
  readonly author: string
  readonly encoding: string | null
  readonly message: string
}

export function readRawCommit(db: ObjectReader, oid: Oid): RawCommit {
  const object = db.read(oid)
  if (!object) throw new GitError('missing', `commit ${oid} is missing`)
  if (object.type !== 'commit')
    throw new GitError('invalid', `object ${oid} is a ${object.type}, not a commit`)
  const text = Buffer.from(
    object.data.buffer,
    object.data.byteOffset,
    object.data.byteLength,
  ).toString('latin1')
  const end = text.indexOf('\n\n')
  const head = (end < 0 ? text : text.slice(0, end)).split('\n')
  const author = head.find((line) => line.startsWith('author '))
  if (!author) throw new GitError('corrupt', `commit ${oid} has no author`)
  return {
    author,
    encoding: head.find((line) => line.startsWith('encoding ')) ?? null,
    message: end < 0 ? '' : text.slice(end + 2),
  }
}

/** The commit on another tree and parent, with its author and message. */
export function replayedCommit(
  raw: RawCommit,
  options: { tree: Oid; parent: Oid; committer: Signature; trailers: readonly string[] },
): Uint8Array {
  const lines = [
    `tree ${options.tree}`,
    `parent ${options.parent}`,
    raw.author,
    `committer ${utf8(formatSignature(options.committer))}`,
    ...(raw.encoding === null ? [] : [raw.encoding]),
  ]
  return Buffer.from(
    `${lines.join('\n')}\n\n${withTrailers(raw.message, options.trailers.map(utf8))}`,
    'latin1',
  )
}

/** Text as one character per byte. */
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const TRAILER = /^[A-Za-z0-9-]+\s*:\s|^\(cherry picked from commit /

/**
 * Appends trailers such as `Reviewed-by: …` to existing ones, or else as a new paragraph
 * (git-interpret-trailers).
 */
export function withTrailers(message: string, trailers: readonly string[]): string {
  if (trailers.length === 0) return message
  const body = message.replace(/(?<!\n)\n+$/, '')
  const clean = trailers
    .map((line) => line.replace(/[\0\r\n]+/g, ' ').trim())
    .filter((line) => line !== '')
  const paragraphs = body.split(/\n{2,}/)
  const last = paragraphs.at(-1) ?? ''
  const joins =
    paragraphs.length > 1 &&
    last !== '' &&
    last.split('\n').every((line) => TRAILER.test(line) || /^\s/.test(line))
  const added = clean.filter((line) => !(joins && last.split('\n').includes(line)))
  if (added.length === 0) return message
  return `${body}${body === '' ? '' : joins ? '\n' : '\n\n'}${added.join('\n')}\n`
}
