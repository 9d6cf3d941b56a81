/**
 * Formats a commit with the placeholders of `git log --format` that `export-subst` files use
 * (git-log, "PRETTY FORMATS"). A placeholder that depends on configuration or on a signature stays as
 * it is, like one that git does not know.
 */
import type { Commit, Ref, Signature } from '../ports.ts'
import type { DescribeOptions } from './describe.ts'
import { formatDate, formatHumanDate, formatRelativeDate } from './format-date.ts'

export type FormatContext = {
  /** The shortest unique prefix of an id. */
  readonly abbreviate: (oid: string) => string
  /** Refs that point at the commit, and the full name of the ref of HEAD. */
  readonly refs: readonly Ref[]
  readonly head: string | null
  /** The time in seconds since 1970. */
  readonly now: number
  /** Describes the commit; null where the placeholder stays, because git allows one an archive. */
  readonly describe: (options: DescribeOptions) => string | null
}

/** Replaces each `$Format:…$` of a file (`format_subst` in git's archive.c). */
export function expandFormats(
  data: Uint8Array,
  commit: Commit,
  context: FormatContext,
): Uint8Array {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  const parts: Uint8Array[] = []
  let from = 0
  for (;;) {
    const begin = bytes.indexOf('$Format:', from)
    const end = begin < 0 ? -1 : bytes.indexOf('$', begin + 8)
    if (end < 0) break
    const format = bytes.toString('utf8', begin + 8, end)
    parts.push(bytes.subarray(from, begin), Buffer.from(formatCommit(format, commit, context)))
    from = end + 1
  }
  return from === 0 ? data : Buffer.concat([...parts, bytes.subarray(from)])
}

const PLACEHOLDER =
  /%(?:\(describe(?::[^)]{0,1000})?\)|x[0-9a-fA-F]{2}|[ac](?:[neltisIDNELrh]|d)|[%HhTtPpsfbBnedD])/g

export const formatCommit = (format: string, commit: Commit, context: FormatContext): string =>
  format.replace(PLACEHOLDER, (placeholder) => expand(placeholder.slice(1), commit, context))

function expand(name: string, commit: Commit, context: FormatContext): string {
  if (name.startsWith('x')) return String.fromCharCode(Number.parseInt(name.slice(1), 16))
  if (name.startsWith('(')) {
    const options = parseDescribeOptions(name.slice('(describe'.length + 1, -1))
    return (options && context.describe(options)) ?? `%${name}`
  }
  if (name.startsWith('a')) return expandSignature(name.slice(1), commit.author, context.now)
  if (name.startsWith('c')) return expandSignature(name.slice(1), commit.committer, context.now)
  const { abbreviate } = context
  switch (name) {
    case '%':
      return '%'
    case 'n':
      return '\n'
    case 'H':
      return commit.oid
    case 'h':
      return abbreviate(commit.oid)
    case 'T':
      return commit.tree
    case 't':
      return abbreviate(commit.tree)
    case 'P':
      return commit.parents.join(' ')
    case 'p':
      return commit.parents.map(abbreviate).join(' ')
    case 's':
      return splitMessage(commit.message).subject
    case 'f':
      return sanitizeLine(splitMessage(commit.message).firstLine)
    case 'b':
      return splitMessage(commit.message).body
    case 'B':
      return commit.message
    case 'd':
    case 'D':
      return decorations(context, name === 'd')
    default:
      return ''
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

/** The options of `%(describe:…)`; null for one that git does not know. */
function parseDescribeOptions(text: string): DescribeOptions | null {
  let [tags, abbrev]: [boolean, number | null] = [false, null]
  const [match, exclude]: [string[], string[]] = [[], []]
  for (const option of text === '' ? [] : text.split(',')) {
    const at = option.indexOf('=')
    const [name, value] = at < 0 ? [option, null] : [option.slice(0, at), option.slice(at + 1)]
    if (name === 'tags') {
      const isOn = value === null || (BOOLEANS[value.toLowerCase()] ?? null)
      if (isOn === null) return null
      tags = isOn
    } else if (name === 'abbrev' && value !== null && /^\d{1,4}$/.test(value))
      abbrev = Number(value)
    else if (name === 'match' && value) match.push(value)
    else if (name === 'exclude' && value) exclude.push(value)
    else return null
  }
  return { tags, abbrev, match, exclude }
}

function expandSignature(name: string, signature: Signature, now: number): string {
  const { email, time } = signature
  switch (name) {
    case 'n':
    case 'N':
      return signature.name
    case 'e':
    case 'E':
      return email
    case 'l':
    case 'L':
      return email.split('@', 1)[0] ?? ''
    case 't':
      return String(time)
    case 'r':
      return formatRelativeDate(time, now)
    case 'h':
      return formatHumanDate(signature, now)
    default:
      return formatDate(name, signature)
  }
}

type MessageParts = { readonly firstLine: string; readonly subject: string; readonly body: string }

/** The first paragraph as one line, and the rest. */
function splitMessage(message: string): MessageParts {
  const lines = message.replace(/^(?:[ \t]*\n)+/, '').split('\n')
  let end = lines.findIndex((line) => line.trim() === '')
  if (end < 0) end = lines.length
  const subject = lines
    .slice(0, end)
    .map((line) => line.trimEnd())
    .join(' ')
  while (end < lines.length && lines[end]?.trim() === '') end++
  return { firstLine: lines[0] ?? '', subject, body: lines.slice(end).join('\n') }
}

/** The first line as a file name (`format_sanitized_subject`). */
const sanitizeLine = (line: string): string =>
  line
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^-+|(?<![-.])[-.]+$/g, '')

/** The refs of a commit as `git log --decorate` names them; HEAD with its branch comes first. */
function decorations({ refs, head }: FormatContext, wrapped: boolean): string {
  const names: string[] = []
  const current = refs.find(({ name }) => name === head)
  if (current) names.push(`HEAD -> ${shortName(current.name)}`)
  for (const { name } of [...refs].reverse()) if (name !== head) names.push(shortName(name))
  if (names.length === 0) return ''
  return wrapped ? ` (${names.join(', ')})` : names.join(', ')
}

const shortName = (name: string): string =>
  name.startsWith('refs/tags/')
    ? `tag: ${name.slice('refs/tags/'.length)}`
    : name.replace(/^refs\/(?:heads|remotes)\//, '')
