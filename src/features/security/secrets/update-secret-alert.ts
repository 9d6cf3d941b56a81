import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Nullable, OneOf, RepoPath, Type } from '#core/schema.ts'
import { standingAlertsClosed } from '#features/pulls/index.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { alertRecord, requireAlert } from './alert-records.ts'
import { RESOLUTIONS, SECRET_STATES, SecretAlert } from './schema.ts'
import { setAlertState } from './store.ts'

export const updateSecretAlert = operation({
  name: 'update_secret_alert',
  summary:
    'Resolve a secret alert with the reason, or open it again. For admins and security managers, people only. Answers the alert.',
  keywords: ['close a secret alert', 'mark a key as revoked', 'false positive'],
  route: 'PATCH /repos/{owner}/{name}/secret-scanning/alerts/{id}',
  toolset: 'security',
  access: writesRepoAsPerson('admin', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: Id('sec'),
    state: OneOf(SECRET_STATES),
    resolution: Type.Optional(
      Nullable(OneOf(RESOLUTIONS, { description: 'Required to resolve.' })),
    ),
    note: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  }),
  output: SecretAlert,

  handler: ({ hearth, caller, repo, write }, { id, state, resolution = null, note }) => {
    if (state === 'resolved' && resolution === null)
      throw invalid(
        'resolution',
        'say why it is resolved: false_positive, wont_fix, revoked or used_in_tests',
      )
    if (state === 'open' && resolution !== null)
      throw invalid('resolution', 'an open alert has no resolution')
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      const before = requireAlert(hearth, repo, id)
      const isResolved = state === 'resolved'
      setAlertState(tx, id, {
        state,
        resolution,
        resolved_by: isResolved ? caller.id : null,
        resolved_at: isResolved ? tx.now : null,
        note: note === undefined ? before.note : note,
      })
      auditRepo(tx, 'security.secret_alert_updated', row, {
        alert: id,
        before: { state: before.state, resolution: before.resolution },
        after: { state, resolution },
      })
      if (isResolved) tx.emit(standingAlertsClosed, { repo_id: repo.id })
      return alertRecord(hearth, repo.full_name, requireAlert(hearth, repo, id))
    })
  },
})
