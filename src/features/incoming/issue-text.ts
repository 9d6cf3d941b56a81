/**
 * Texts of other services as issues. They stand in a block of code: nobody is mentioned, no image
 * is loaded, no issue is closed and no link is followed because of what a stranger wrote.
 */
import { encodeReservedPath } from '#lib/percent-encoding.ts'
import { cutTo, importedLine, importedText, importedTitle } from '#features/issues/index.ts'
import type { LocatedTrace } from '#features/integrations/index.ts'
import { sha256 } from '#lib/hash.ts'
import { redactText } from '#lib/redact.ts'
import { lineAddress } from '#lib/line-address.ts'
import type { IncomingItem } from './senders/sender.ts'

const MAX_TEXT_LENGTH = 20_000
const MAX_URL_LENGTH = 2_000
const MAX_NAME_LENGTH = 100

/** A link for Markdown; null for what is no address of a web page. */
function linkOf(url: string | null): string | null {
  if (url === null || url.length > MAX_URL_LENGTH) return null
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return null
  return parsed.href.replace(/[@<>()[\]`\\]/g, encodeURIComponent).replace(/[()]/g, escapeRound)
}

const escapeRound = (mark: string): string => (mark === '(' ? '%28' : '%29')

/** A fence that is longer than every run of backticks in the text. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1)
  return `${fence}text\n${text}\n${fence}`
}

export type IssueText = { readonly title: string; readonly body: string }

const MAX_SHOWN_FRAMES = 20
const MAX_LOCATIONS = 10
const HEADING = '**Files of the stack trace**'

/** A text of strangers as code on one line. */
const codeOf = (text: string): string =>
  `\`${redactText(importedLine(text, MAX_NAME_LENGTH)).text.replaceAll('`', "'")}\``

/**
 * Links to the files that the calls of a stack trace are in, the newest first. Null when none is in
 * the repository. `home` is the address of the repository.
 */
function locationsOf(home: string, { commit, frames }: LocatedTrace): string | null {
  // A backtick would end the code in which the path stands.
  const found = frames.filter(({ path }) => path !== null && !/[`\p{Cc}]/u.test(path))
  if (found.length === 0) return null
  const lines = found.slice(0, MAX_LOCATIONS).map(({ path, line, name }) => {
    const place = line === null ? path : `${path}:${line}`
    const anchor = line === null ? '' : lineAddress(line)
    const link = `${home}/blob/${commit}/${encodeReservedPath(path ?? '')}${anchor}`
    return `- [\`${place}\`](<${link}>)${name === '' ? '' : ` in ${codeOf(name)}`}`
  })
  const head = `${HEADING} at [\`${commit.slice(0, 10)}\`](<${home}/commit/${commit}>), the newest call first:`
  return `${head}\n\n${lines.join('\n')}`
}

/** The newest calls of an item as plain text. */
function traceText({ trace }: IncomingItem): string {
  const lines = (trace?.frames ?? [])
    .slice(0, MAX_SHOWN_FRAMES)
    .map(({ file, line, name }) => `  ${file}${line === null ? '' : `:${line}`} ${name}`.trimEnd())
  return lines.length === 0 ? '' : `\nStack trace, the newest call first:\n${lines.join('\n')}`
}

const PARTS = '\n\n'

/** Whether a text that `issueTextOf` wrote has the files of a stack trace. */
export const hasLocations = (body: string): boolean =>
  body.split(PARTS, 2)[1]?.startsWith(HEADING) ?? false

/** A text that `issueTextOf` wrote, with the files of a stack trace; null when none is known. */
export function withLocations(
  { title, body }: IssueText,
  home: string,
  located: LocatedTrace,
): IssueText | null {
  const locations = locationsOf(home, located)
  if (locations === null || hasLocations(body)) return null
  const [first = '', ...rest] = body.split(PARTS)
  return { title, body: [first, locations, ...rest].join(PARTS) }
}

/** What an issue says about an item. `home` is the address of the repository. */
export function issueTextOf(service: string, home: string, item: IncomingItem): IssueText {
  const name = importedLine(service, MAX_NAME_LENGTH).replace(/[@[\]<>`\\*_#]/g, ' ')
  const link = linkOf(item.url)
  const text = redactText(
    cutTo(importedText(item.text + traceText(item)).trim(), MAX_TEXT_LENGTH),
  ).text
  const plain = {
    title: redactText(importedTitle(item.title)).text,
    body: [
      link === null ? `From ${name}.` : `From ${name}: [open it there](<${link}>).`,
      ...(text === '' ? [] : [fenced(text)]),
    ].join(PARTS),
  }
  return (item.located && withLocations(plain, home, item.located)) ?? plain
}

/** Tells whether somebody changed an issue since it was written. */
export const digestOf = ({ title, body }: IssueText): string => sha256(`${title}\n${body}`)
