// The reasons of notifications, in words.
import type { Notification, Reason } from '#features/notifications/index.ts'
import type { IconName } from '../../components/index.ts'
import { eventLine } from '../../messages.ts'
import { texts } from '../../text.ts'

/** The short form, after a title in a list. */
export const SHORT_REASONS: Readonly<Record<Reason, string>> = texts({
  mention: 'mentioned you',
  team_mention: 'mentioned your team',
  assigned: 'assigned',
  review_requested: 'review requested',
  author: 'author',
  commented: 'you commented',
  subscribed: 'watching',
  checks_failed: 'checks failed',
  queue_failed: 'left the queue',
  run_approval: 'needs approval',
  security_alert: 'security',
  invitation: 'invitation',
  agent_waiting: 'agent waits',
})

/** The form for a switch in the settings. */
export const REASON_LABELS: Readonly<Record<Reason, string>> = texts({
  mention: 'Somebody mentions me',
  team_mention: 'Somebody mentions a team that I am in',
  assigned: 'I am assigned',
  review_requested: 'My review is requested',
  author: 'Activity in issues and pull requests that I or my agents opened',
  commented: 'Activity in issues and pull requests that I commented on',
  subscribed: 'Activity in repositories that I watch',
  checks_failed: 'Checks of my pull request, or a run that I started, fail',
  queue_failed: 'My pull request leaves the merge queue',
  run_approval: 'A run waits for my approval',
  security_alert: 'A security alert in a repository that I administer',
  invitation: 'Somebody invites me',
  agent_waiting: 'An agent of mine asks a question',
})

/** Reasons that require an action of the reader. */
export const URGENT_REASONS: ReadonlySet<Reason> = new Set([
  'assigned',
  'review_requested',
  'run_approval',
  'agent_waiting',
  'checks_failed',
  'queue_failed',
  'security_alert',
])

const ICONS: Readonly<Record<string, IconName>> = {
  issue: 'issue',
  pull: 'pull',
  question: 'question',
  invitation: 'mail',
  release: 'tag',
  package: 'package',
  alert: 'shield',
  report: 'shield',
  run: 'play',
}

const KIND_LABELS: Readonly<Record<string, string>> = texts({
  question: 'Question',
  invitation: 'Invitation',
  release: 'Release',
  package: 'Package',
  alert: 'Security alert',
  report: 'Vulnerability report',
  run: 'Run',
})

/** What a notification without a number is about. */
export const labelOfKind = (kind: string): string => KIND_LABELS[kind] ?? kind

export const iconOfKind = (kind: string): IconName => ICONS[kind] ?? 'bell'

/** Questions of agents, and subjects without a number, have no title of their own: it is what happened. */
export const titleOf = ({ title, number, kind }: Notification['subject']): string =>
  number === null || kind === 'question' ? eventLine(title) : title
