/** Renders the mail about one notification. */
import { findEvent, type EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, type Say } from '#features/accounts/index.ts'
import { findRecord } from '#features/issues/index.ts'
import { pullSummaries } from '#features/pulls/index.ts'
import { eventRecord, fullName } from '#features/repos/index.ts'
import type { Message } from '#lib/mail.ts'
import { failureText } from '../delivery/run-failures.ts'
import { REASON_TEXTS, type Reason } from '../delivery/reasons.ts'
import type { SubjectOf } from '../store.ts'
import { textIdOf, textOf } from '../references/read-texts.ts'
import { unsubscribeUrl } from './unsubscribe-links.ts'
import { urlOf } from '../notification-record.ts'

export type NotificationMail = {
  readonly user_id: string
  readonly reason: Reason
  readonly about: SubjectOf
  readonly events: readonly string[]
  readonly text_id: string | null
  readonly words?: string
}

/** Characters of one text; a longer one ends with a link to the rest. */
const MAX_TEXT_LENGTH = 20_000

const cut = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}\n[…]`

/** Characters allowed in a message id between dots (RFC 5322, section 3.2.3). */
const atom = (text: string): string => text.replace(/[^A-Za-z0-9-]+/g, '-')

/** The line that a comment on changes is about, such as ` (src/oven.ts:12)`; empty for other events. */
const placeOf = ({ data: { path, line } }: EventRow): string =>
  typeof path === 'string' && typeof line === 'number' ? ` (${path}:${line})` : ''

/** One paragraph for each event; a text is quoted in full. */
function paragraphs(
  hearth: Hearth,
  { about, events, text_id, words }: NotificationMail,
  rows: readonly EventRow[],
  say: Say,
): string[] {
  const { repo_id, number } = about
  const text = (id: string): string | null =>
    repo_id === null || number === null ? null : textOf(hearth.db, repo_id, number, id)
  if (words !== undefined) return [cut(words)]
  if (events.length === 0 && text_id !== null)
    return [say('A comment that mentions you was edited:'), cut(text(text_id) ?? '')]
  return rows.flatMap((row) => {
    const summary = say.sentence(eventRecord(hearth, row).summary) + placeOf(row)
    const id = textIdOf(row)
    const said = id === null ? failureText(hearth, row) : text(id)
    return said === null || said.trim() === '' ? [`${summary}.`] : [`${summary}:`, cut(said)]
  })
}

const REVIEW_TEXTS = {
  none: null,
  approved: 'Approved.',
  changes_requested: 'Changes requested.',
} as const
const CHECK_TEXTS = {
  none: null,
  pending: 'Checks are running.',
  passed: 'Checks passed.',
  failed: 'Checks failed.',
} as const

/** What reviews and checks of a pull request say now; empty for others. */
function stateLine(hearth: Hearth, { kind, repo_id, number }: SubjectOf, say: Say): string {
  if (kind !== 'pull' || repo_id === null || number === null) return ''
  const state = pullSummaries(hearth, [{ repo_id, number }]).get(`${repo_id} ${number}`)
  if (!state || (state.status !== 'open' && state.status !== 'draft')) return ''
  const texts = [REVIEW_TEXTS[state.review], CHECK_TEXTS[state.checks]].filter(
    (text) => text !== null,
  )
  return texts.length === 0 ? '' : `${texts.map((text) => say(text)).join(' ')}\n`
}

/** The message for one person, without the address. Null when its subject is gone. */
export function composeMail(
  hearth: Hearth,
  mail: NotificationMail,
  job_id: string,
  say: Say,
): Omit<Message, 'to'> | null {
  const { about, reason } = mail
  const { site_url } = hearth.settings
  const { hostname } = new URL(site_url)
  const { repo_id, number } = about
  const repo = repo_id === null ? null : fullName(hearth.db, repo_id)
  const title =
    about.title ??
    (repo_id === null || number === null
      ? null
      : (findRecord(hearth.db, repo_id, number)?.title ?? null))
  if (repo === '' || title === null) return null
  const rows = mail.events.flatMap((id) => findEvent(hearth.db, id) ?? [])
  const [first] = rows
  const opens = rows.some(({ type }) => type === 'issue.opened' || type === 'pull.opened')
  const root = repo_id === null || number === null ? null : `${repo_id}.${number}@${hostname}`
  const id = opens && root !== null ? root : `${first?.id ?? job_id}@${hostname}`
  const url = `${site_url}${urlOf(hearth, about)}`
  const ending =
    repo_id !== null && number !== null && about.kind !== 'question'
      ? ({ user_id: mail.user_id, of: 'record', repo_id, number } as const)
      : ({ user_id: mail.user_id, of: 'reason', reason } as const)
  const unsubscribe = unsubscribeUrl(hearth, ending)
  const by = actorOf(hearth, first?.actor_id ?? null)?.username ?? 'Hearth'
  return {
    kind: `notification-${reason}`,
    by,
    subject: `${opens || root === null ? '' : 'Re: '}[${repo ?? hostname}] ${number !== null && about.kind !== 'question' ? `${title} (#${number})` : title}`,
    id,
    answers: root === null || id === root ? [] : [root],
    reason,
    list: {
      id: repo === null ? hostname : `${repo.split('/').reverse().map(atom).join('.')}.${hostname}`,
      name: repo ?? hostname,
      url: repo === null ? site_url : `${site_url}/${repo}`,
      unsubscribe,
    },
    text: `${paragraphs(hearth, mail, rows, say).join('\n\n')}

-- 
${stateLine(hearth, about, say)}${say('You receive this because {reason}. View it:', { reason: say(REASON_TEXTS[reason]) })}
${url}

${ending.of === 'record' ? say('Unsubscribe from #{number}:', { number: number ?? '' }) : say('Unsubscribe from mail like this:')}
${unsubscribe}
${say('Notification settings:')}
${site_url}/settings/notifications
`,
  }
}
