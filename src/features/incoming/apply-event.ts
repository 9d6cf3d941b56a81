/** What an event of a service does to the issues of a repository, in one transaction. */
import type { RepoGrant } from '#core/access.ts'
import type { AgentCaller } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import {
  assigneeIdsOfAll,
  closeIssueAs,
  commentCounts,
  commentCreated,
  findIssue,
  insertComment,
  isIntegrationActor,
  listLinks,
  openIssue,
  reopenIssueAs,
} from '#features/issues/index.ts'
import { startLocating } from './add-locations.ts'
import { digestOf, hasLocations, issueTextOf, withLocations, type IssueText } from './issue-text.ts'
import { homeOf, rewriteIssue } from './rewrite-issue.ts'
import { MAX_OPEN_ALERTS, MAX_OPEN_TICKETS } from './schema.ts'
import type { IncomingEvent, IncomingItem, Sender } from './senders/sender.ts'
import {
  countOpenSubjects,
  findSubject,
  putSubject,
  type HookRow,
  type SubjectRow,
} from './store.ts'

/** The items of one event that are read. */
export const MAX_ITEMS = 200
const MAX_FINGERPRINT_LENGTH = 500
/** The fingerprint of the issue that stands for those above the maximum. */
const COLLECTING = ''

export type Receiving = {
  readonly hook: HookRow
  readonly sender: Sender
  readonly service: string
  readonly repo: RepoGrant
  readonly caller: AgentCaller
}

type IssueRow = NonNullable<ReturnType<typeof findIssue>>

/** Returns the numbers of the issues that changed. */
export function applyEvent(tx: Tx, receiving: Receiving, event: IncomingEvent): number[] {
  const changed = new Set<number>()
  for (const given of event.items.slice(0, MAX_ITEMS)) {
    const item = { ...given, fingerprint: given.fingerprint.slice(0, MAX_FINGERPRINT_LENGTH) }
    if (item.fingerprint === COLLECTING) continue
    const number = applyItem(tx, receiving, item)
    if (number !== null) changed.add(number)
  }
  return [...changed]
}

function applyItem(tx: Tx, receiving: Receiving, item: IncomingItem): number | null {
  const { hook, repo } = receiving
  const subject = findSubject(tx.db, hook.integration_id, item.fingerprint)
  const issue = subject?.repo_id === repo.id ? findIssue(tx.db, repo.id, subject.number) : null
  const text = issueTextOf(receiving.service, homeOf(tx.hearth, repo), item)
  if (!subject || !issue) return item.open ? openFor(tx, receiving, item, text) : null
  const wasChanged = item.open
    ? followOpen(tx, receiving, { subject, issue, item, text })
    : followEnd(tx, receiving, { subject, issue, item, text })
  return wasChanged ? issue.number : null
}

function openFor(tx: Tx, receiving: Receiving, item: IncomingItem, text: IssueText): number | null {
  const { hook, sender, repo, caller } = receiving
  const max = sender.sendsAlerts ? MAX_OPEN_ALERTS : MAX_OPEN_TICKETS
  if (countOpenSubjects(tx.db, hook.integration_id) >= max) return collect(tx, receiving, max)
  const labels = JSON.parse(hook.labels) as string[]
  const number = openIssue(tx, repo, caller, { ...text, checks: [], labels })
  putSubject(tx, {
    integration_id: hook.integration_id,
    fingerprint: item.fingerprint,
    repo_id: repo.id,
    number,
    open: 1,
    written: digestOf(text),
    occurrence: item.occurrence,
    times: 1,
    comments: 0,
  })
  if (!item.located) startLocating(tx, { ...hook, fingerprint: item.fingerprint })
  return number
}

/** One issue says that there are more than may be open. It does not count as one of them. */
function collect(tx: Tx, receiving: Receiving, max: number): number | null {
  const { hook, service, repo, caller } = receiving
  const there = findSubject(tx.db, hook.integration_id, COLLECTING)
  const issue = there?.repo_id === repo.id ? findIssue(tx.db, repo.id, there.number) : null
  if (there && issue?.open === 1) {
    putSubject(tx, { ...there, times: there.times + 1 })
    return null
  }
  const text = issueTextOf(service, homeOf(tx.hearth, repo), {
    fingerprint: COLLECTING,
    open: true,
    title: `More than ${max} issues of ${service} are open`,
    text: 'Further events open no issues until some of these are closed at the service.',
    url: null,
    occurrence: null,
  })
  const labels = JSON.parse(hook.labels) as string[]
  const number = openIssue(tx, repo, caller, { ...text, checks: [], labels })
  putSubject(tx, {
    integration_id: hook.integration_id,
    fingerprint: COLLECTING,
    repo_id: repo.id,
    number,
    open: 0,
    written: digestOf(text),
    occurrence: null,
    times: 1,
    comments: 0,
  })
  return number
}

type Following = {
  readonly subject: SubjectRow
  readonly issue: IssueRow
  readonly item: IncomingItem
  readonly text: IssueText
}

/** A person who closed an issue as not planned is not asked again. */
function mustReopen({ subject, issue, item }: Following): boolean {
  if (issue.open === 1) return false
  if (issue.closed_by !== null && isIntegrationActor(issue.closed_by)) return true
  const isNew = item.occurrence !== null && item.occurrence !== subject.occurrence
  return isNew && issue.reason !== 'not_planned'
}

/** The first event about an error may not say where it happened. */
const withFiles = (
  { hearth }: Tx,
  { repo }: Receiving,
  { issue, item }: Following,
): IssueText | null =>
  item.located ? withLocations(issue, homeOf(hearth, repo), item.located) : null

function followOpen(tx: Tx, receiving: Receiving, following: Following): boolean {
  const { repo, sender } = receiving
  const { subject, issue, item, text } = following
  const reopens = mustReopen(following)
  if (reopens) reopenIssueAs(tx, repo, issue.number)
  const isUntouched = digestOf(issue) === subject.written
  // Values of alerts change with each event. Their text is written once for an occurrence.
  const isNewText = digestOf(text) !== subject.written && (reopens || !sender.sendsAlerts)
  const written = !isUntouched ? null : isNewText ? text : withFiles(tx, receiving, following)
  if (written) rewriteIssue(tx, repo, issue, written)
  if (written && !hasLocations(written.body)) startLocating(tx, subject)
  // Its end was told in a comment, because people worked on it.
  const isBack = sender.sendsAlerts && issue.open === 1 && subject.open === 0
  const comments = isBack && comment(tx, receiving, following, OPEN_AGAIN) ? 1 : 0
  putSubject(tx, {
    ...subject,
    open: 1,
    written: written ? digestOf(written) : subject.written,
    occurrence: item.occurrence ?? subject.occurrence,
    times: subject.times + 1,
    comments: subject.comments + comments,
  })
  return reopens || written !== null || comments > 0
}

/** Whether people work on an issue: they commented, are assigned, or opened a pull request. */
function isWorkedOn(tx: Tx, repo_id: string, { subject, issue }: Following): boolean {
  const { number } = issue
  const comments = commentCounts(tx.db, repo_id, [number]).get(number) ?? 0
  return (
    comments > subject.comments ||
    assigneeIdsOfAll(tx.db, repo_id, [number]).size > 0 ||
    listLinks(tx.db, repo_id, [number]).length > 0
  )
}

function followEnd(tx: Tx, receiving: Receiving, following: Following): boolean {
  const { repo, sender, caller } = receiving
  const { subject, issue } = following
  if (issue.open === 0 || subject.open === 0) {
    putSubject(tx, { ...subject, open: 0 })
    return false
  }
  const staysOpen = sender.sendsAlerts && isWorkedOn(tx, repo.id, following)
  const comments = staysOpen && comment(tx, receiving, following, ENDED) ? 1 : 0
  if (!staysOpen) closeIssueAs(tx, repo, issue.number, caller.id)
  putSubject(tx, { ...subject, open: 0, comments: subject.comments + comments })
  return !staysOpen || comments > 0
}

const ENDED = 'It is resolved at the service. The issue stays open, because people work on it.'
const OPEN_AGAIN = 'It is open again at the service.'
/** An alert that comes and goes writes no more comments than this on one issue. */
const MAX_COMMENTS = 20

/** Whether a comment was written. */
function comment(
  tx: Tx,
  { repo, caller }: Receiving,
  { subject, issue: { number } }: Following,
  body: string,
): boolean {
  if (subject.comments >= MAX_COMMENTS) return false
  const id = insertComment(tx, { repo_id: repo.id, number, author_id: caller.id, body })
  tx.append(
    commentCreated,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { number, comment: id, review: null, verdict: null, path: null, line: null },
  )
  return true
}
