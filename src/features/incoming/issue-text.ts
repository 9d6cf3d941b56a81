/**
 * Texts of other services as issues. They stand in a block of code: nobody is mentioned, no image
 * is loaded, no issue is closed and no link is followed because of what a stranger wrote.
 */
import { cutTo, importedLine, importedText, importedTitle } from '#features/issues/index.ts'
import { sha256 } from '#lib/hash.ts'
import { redactText } from '#lib/redact.ts'
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

export function issueTextOf(service: string, item: IncomingItem): IssueText {
  const name = importedLine(service, MAX_NAME_LENGTH).replace(/[@[\]<>`\\*_#]/g, ' ')
  const link = linkOf(item.url)
  const text = redactText(cutTo(importedText(item.text).trim(), MAX_TEXT_LENGTH)).text
  return {
    title: redactText(importedTitle(item.title)).text,
    body: [
      link === null ? `From ${name}.` : `From ${name}: [open it there](<${link}>).`,
      ...(text === '' ? [] : [fenced(text)]),
    ].join('\n\n'),
  }
}

/** Tells whether somebody changed an issue since it was written. */
export const digestOf = ({ title, body }: IssueText): string => sha256(`${title}\n${body}`)
