/** The audit entry of an alert that somebody dismissed or reopened. */
import type { Tx } from '#core/write.ts'
import { auditRepo, type RepoRow } from '#features/repos/index.ts'

/** It is in no public timeline, because that would tell strangers of the alert. */
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
}
