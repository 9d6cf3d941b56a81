/** Translations of what the server says in English: refusals, events, states, names of states. */
import { currentLocale } from './locale.ts'
import { catalogueOf } from './locales/index.ts'
import { texts } from './text.ts'

/** A sentence of the server in the language of the response. */
export function translateMessage(english: string): string {
  const locale = currentLocale()
  return locale === 'en' ? english : catalogueOf(locale).message(english)
}

const STATE_WORDS: Readonly<Record<string, string>> = texts({
  active: 'active',
  closed: 'closed',
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
