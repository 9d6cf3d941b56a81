import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Type } from '#core/schema.ts'
import { branchRef, requireLive } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { recordDismissal } from '../record-dismissal.ts'
import { codeAlertRecords, requireCodeAlert } from './alert-record.ts'
import { CodeAlert, CodeAlertId, DISMISSAL_REASONS } from './schema.ts'
import { setDismissal, settleStates } from './store-alerts.ts'

export const updateCodeScanningAlert = operation({
  name: 'update_code_scanning_alert',
  summary:
    'Dismiss an alert of a scanner with a reason (false_positive, wont_fix, used_in_tests), or reopen it (Write, or a security manager). Answers the alert.',
  keywords: ['dismiss a code scanning alert', 'false positive', 'reopen an alert'],
  route: 'PATCH /repos/{owner}/{name}/code-scanning/alerts/{id}',
  toolset: 'security',
  access: writesRepo('write', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: CodeAlertId,
    state: OneOf(['open', 'dismissed']),
    reason: Type.Optional(Nullable(OneOf(DISMISSAL_REASONS))),
    note: Type.Optional(
      Nullable(Type.String({ maxLength: 1_000, description: 'Why, for others.' })),
    ),
  }),
  output: CodeAlert,
  annotations: { idempotent: true },
  untrusted: () => ['/message', '/rule/description', '/rule/help'],

  handler: ({ hearth, repo, caller, write }, { id, state, reason = null, note = null }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireCodeAlert(tx.db, repo, id)
      if (state === 'dismissed') {
        if (reason === null)
          throw invalid('reason', `reason is required: ${DISMISSAL_REASONS.join(', ')}`)
        if (row.state === 'fixed')
          throw conflict(
            'already_closed',
            'this alert is fixed already: nothing is left to dismiss',
          )
        setDismissal(tx, row.id, { by: caller.id, reason, note: note?.trim() || null })
      } else if (row.state === 'dismissed') {
        setDismissal(tx, row.id, null)
        settleStates(tx, [row.id], branchRef(live.default_branch))
      }
      if ((row.state === 'dismissed') !== (state === 'dismissed'))
        recordDismissal(tx, live, row, state)
      const [record] = codeAlertRecords(hearth, repo, [requireCodeAlert(tx.db, repo, id)])
      if (!record) throw new TypeError('an alert has no record')
      return record
    }),
})
