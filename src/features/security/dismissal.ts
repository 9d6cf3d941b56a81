/** Dismissing and reopening an alert, as code scanning and dependencies share it. */
import type { Tx } from '#core/write.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { DISMISSAL_REASONS, type DismissalReason } from './code-scanning/schema.ts'
import { standingAlertsClosed } from '#features/pulls/index.ts'
import { auditRepo, type RepoRow } from '#features/repos/index.ts'

/** What an update of an alert says. */
export const dismissalInput = {
  state: OneOf(['open', 'dismissed']),
  reason: Type.Optional(Nullable(OneOf(DISMISSAL_REASONS))),
  note: Type.Optional(Nullable(Type.String({ maxLength: 1_000, description: 'Why, for others.' }))),
}

/** The dismissal of an alert by a person. Throws 422 without a reason, and 409 for a fixed alert. */
export function newDismissal(
  by: string,
  alert: { readonly state: string },
  reason: DismissalReason | null,
  note: string | null,
): { by: string; reason: DismissalReason; note: string | null } {
  if (reason === null)
    throw invalid('reason', `reason is required: ${DISMISSAL_REASONS.join(', ')}`)
  if (alert.state === 'fixed')
    throw conflict('already_closed', 'this alert is fixed already: nothing is left to dismiss')
  return { by, reason, note: note?.trim() || null }
}

/** Writes the audit entry. It is in no public timeline, because that would tell strangers of the alert. */
export function recordDismissal(
  tx: Tx,
  repo: RepoRow,
  alert: { readonly id: string; readonly state: string },
  state: string,
): void {
  const action = state === 'open' ? 'security.alert_reopened' : 'security.alert_dismissed'
  auditRepo(tx, action, repo, {
    before: { alert: alert.id, state: alert.state },
    after: { alert: alert.id, state },
  })
  if (state !== 'open') tx.emit(standingAlertsClosed, { repo_id: repo.id })
}
