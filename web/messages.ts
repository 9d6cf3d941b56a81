/** Translations of what the server says in English: refusals, events, states, names of states. */
import { sentenceCase } from './format.ts'
import { currentLocale } from './locale.ts'
import { catalogueOf } from './locales/index.ts'
import { texts } from './text.ts'

/** A sentence of the server in the language of the response. */
export function translateMessage(english: string): string {
  const locale = currentLocale()
  return locale === 'en' ? english : catalogueOf(locale).message(english)
}

/**
 * The words with which messages of the server begin that are no name. A name, such as that of a
 * branch, keeps its letters.
 */
const FIRST_WORDS =
  /^(?:a|agent|all|an|another|as|at|accounts|both|changes|changing|confirm|conversations|enter|every|files|give|issue|it|its|later|lines|members|merging|more|no|nothing|only|publishing|pull|registries|releases|required|say|sign|somebody|something|still|the|there|these|this|tick|too|turn|two|type|wait|what|workflow|workflows|you|your) /

/**
 * What happened, as a line of its own: it begins with a capital letter, unless with a name. `field` is
 * the field of a form, with which messages about it begin.
 */
export function eventLine(english: string, field?: string | null): string {
  const text = translateMessage(english)
  const beginsWithWord =
    FIRST_WORDS.test(english) ||
    (field && /^[a-z]+$/.test(field) && english.startsWith(`${field} `))
  return beginsWithWord ? sentenceCase(text) : text
}

/**
 * A message of the server as a sentence of a page, in the language of the response. REST and tools
 * give it as a phrase after a code.
 */
export function sentenceOf(english: string, field?: string | null): string {
  const first = eventLine(english, field)
  // An address or a name at the end would seem to have the full stop.
  const lastWord = first.slice(first.lastIndexOf(' ') + 1)
  return /[\p{L})"”]$/u.test(first) && !/[/@._]/.test(lastWord) ? `${first}.` : first
}

const STATE_WORDS: Readonly<Record<string, string>> = texts({
  accepted: 'accepted',
  active: 'active',
  closed: 'closed',
  declined: 'declined',
  draft: 'draft',
  errored: 'errored',
  expired: 'expired',
  failed: 'failed',
  merged: 'merged',
  open: 'open',
  passed: 'passed',
  pending: 'pending',
  queued: 'queued',
  revoked: 'revoked',
  running: 'running',
  skipped: 'skipped',
  suspended: 'suspended',
  unconfirmed: 'unconfirmed',
  used: 'used',
  waiting: 'waiting',
})

/** The name of a state. */
export const stateWord = (state: string): string => STATE_WORDS[state] ?? state

/** “Read” alone is the state of a notification, which other languages call otherwise than the role. */
const ROLE_WORDS: Readonly<Record<string, string>> = texts({
  read: 'Role: Read',
  triage: 'Role: Triage',
  write: 'Role: Write',
  maintain: 'Role: Maintain',
  admin: 'Role: Admin',
  owner: 'Owner',
  member: 'Member',
})

/** The name of a role on a repository, a package or a workspace. */
export const roleWord = (role: string): string => (ROLE_WORDS[role] ?? role).replace(/^[^:]+: /, '')
