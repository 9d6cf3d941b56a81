import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { branchRef, requireLive } from '#features/repos/index.ts'
import { dismissalInput, newDismissal, recordDismissal } from '../dismissal.ts'
import { codeAlertRecords, requireCodeAlert } from './alert-record.ts'
import { CodeAlert, CodeAlertId } from './schema.ts'
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
    ...dismissalInput,
  }),
  output: CodeAlert,
  annotations: { idempotent: true },
  untrusted: () => ['/message', '/rule/description', '/rule/help'],

  handler: ({ hearth, repo, caller, write }, { id, state, reason = null, note = null }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireCodeAlert(tx.db, repo, id)
      if (state === 'dismissed')
        setDismissal(tx, row.id, newDismissal(caller.id, row, reason, note))
      else if (row.state === 'dismissed') {
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
