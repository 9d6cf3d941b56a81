/** Reasons of notifications. */
export const REASONS = [
  'mention',
  'team_mention',
  'assigned',
  'review_requested',
  'author',
  'commented',
  'subscribed',
  'checks_failed',
  'queue_failed',
  'run_approval',
  'security_alert',
  'invitation',
  'agent_waiting',
] as const
export type Reason = (typeof REASONS)[number]

/** The weight of each reason; the highest of several counts. */
const REASON_WEIGHTS: Readonly<Record<Reason, number>> = {
  agent_waiting: 12,
  run_approval: 11,
  security_alert: 10,
  queue_failed: 9,
  checks_failed: 8,
  review_requested: 7,
  assigned: 6,
  mention: 5,
  team_mention: 4,
  invitation: 3,
  author: 2,
  commented: 1,
  subscribed: 0,
}

export const stronger = (a: Reason, b: Reason): Reason =>
  REASON_WEIGHTS[b] > REASON_WEIGHTS[a] ? b : a

/**
 * Reasons whose mail can be disabled. Invitations send their own mail, because it also goes to
 * people without an account.
 */
export const MAILED_REASONS: readonly Reason[] = REASONS.filter((reason) => reason !== 'invitation')

/** The reason in a mail, after "You receive this because". */
export const REASON_TEXTS: Readonly<Record<Reason, string>> = {
  mention: 'you were mentioned',
  team_mention: 'a team that you are in was mentioned',
  assigned: 'you are assigned',
  review_requested: 'your review was asked for',
  author: 'you or an agent of yours opened it',
  commented: 'you commented',
  subscribed: 'you watch this',
  checks_failed: 'checks of your change, or a run that you started, failed',
  queue_failed: 'your change left the merge queue',
  run_approval: 'a run waits for approval',
  security_alert: 'you look after this repository',
  invitation: 'you were invited',
  agent_waiting: 'an agent of yours asks and waits',
}
