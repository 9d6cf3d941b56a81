import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { dismissalInput, newDismissal, recordDismissal } from '../dismissal.ts'
import { dependencyAlertRecord, requireDependencyAlert } from './alert-record.ts'
import { DependencyAlert, DependencyAlertId } from './schema.ts'
import { scanDependencies } from './scan-dependencies.ts'
import { setDismissal } from './store-alerts.ts'

export const updateDependencyAlert = operation({
  name: 'update_dependency_alert',
  summary:
    'Dismiss an alert of a vulnerable dependency with a reason (false_positive, wont_fix, used_in_tests), or reopen it (Write, or a security manager). Answers the alert.',
  keywords: ['dismiss a dependency alert', 'ignore a vulnerability', 'reopen an alert'],
  route: 'PATCH /repos/{owner}/{name}/dependency-alerts/{id}',
  toolset: 'security',
  access: writesRepo('write', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: DependencyAlertId,
    ...dismissalInput,
  }),
  output: DependencyAlert,
  annotations: { idempotent: true },
  untrusted: () => ['/package/name', '/advisory/summary'],

  handler: ({ hearth, repo, caller, write }, { id, state, reason = null, note = null }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireDependencyAlert(tx.db, repo, id)
      if (state === 'dismissed')
        setDismissal(tx, row.id, newDismissal(caller.id, row, reason, note))
      else if (row.state === 'dismissed') {
        setDismissal(tx, row.id, null)
        // The package may have gone since.
        tx.enqueue(scanDependencies, { repo_id: repo.id }, { key: repo.id })
      }
      if ((row.state === 'dismissed') !== (state === 'dismissed'))
        recordDismissal(tx, live, row, state)
      return dependencyAlertRecord(hearth, repo, requireDependencyAlert(tx.db, repo, id))
    }),
})
