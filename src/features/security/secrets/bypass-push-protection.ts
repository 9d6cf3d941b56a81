import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import { requireAlertHome } from './alert-records.ts'
import { BYPASS_MS, readPlaceholder } from './fingerprint.ts'
import { announceAlerts, openAlert } from './record-findings.ts'
import { BYPASS_REASONS, SecretBypass } from './schema.ts'
import { putBypass, setAlertBypassed } from './store.ts'

export const bypassPushProtection = operation({
  name: 'bypass_push_protection',
  summary:
    'Let a secret through that push protection refused, with the placeholder of the refusal: for 3 hours you may push the same secret. People only. It opens an alert and is written into the audit log.',
  keywords: ['push anyway', 'allow a secret', 'blocked push'],
  route: 'POST /repos/{owner}/{name}/secret-scanning/push-protection-bypasses',
  toolset: 'security',
  access: writesRepoAsPerson('write', { scope: 'security:write' }),
  input: Type.Object({
    repo: RepoPath,
    placeholder: Type.String({ maxLength: 1200, description: 'From the refusal, pp_….' }),
    reason: OneOf(BYPASS_REASONS),
  }),
  output: SecretBypass,
  status: 201,

  handler: ({ hearth, caller, repo, write }, { placeholder, reason }) => {
    requireAlertHome(repo)
    const offer = readPlaceholder(hearth, repo.id, caller.id, placeholder)
    if (offer === null)
      throw notFound('the placeholder (it is for the person who pushed, for 3 hours: push again)')
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      const { alert, isNew } = openAlert(tx, row, offer)
      setAlertBypassed(tx, alert.id, caller.id, reason)
      if (isNew) announceAlerts(tx, row, [alert.id])
      const expires_at = timestamp(tx.now_ms + BYPASS_MS)
      putBypass(tx, {
        repo_id: repo.id,
        user_id: caller.id,
        fingerprint: offer.fingerprint,
        reason,
        expires_at,
      })
      auditRepo(tx, 'security.push_protection_bypassed', row, {
        alert: alert.id,
        type: offer.type,
        reason,
      })
      return {
        alert: alert.id,
        type: offer.type,
        label: offer.label,
        reason,
        created_at: tx.now,
        expires_at,
      }
    })
  },
})
