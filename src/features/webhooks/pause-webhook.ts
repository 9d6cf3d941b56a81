/**
 * Pauses webhooks: queued deliveries are cancelled and no new ones are sent. A webhook that fails
 * for long is paused automatically.
 */
import type { Tx } from '#core/write.ts'
import { enqueueMail, sayTo } from '#features/accounts/index.ts'
import { fullName, listManagers, repoById } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { setHook, setDeliveryState, type HookChange, type HookRow } from './store.ts'
import { cancelDue } from './store-deliveries.ts'

const MAX_FAILURES = 50
const FAILING_FOR_MS = 3 * DAY
const MAX_RECIPIENTS = 50

/** Updates a webhook, and cancels or resumes its deliveries when `active` changes. */
export function changeHook(tx: Tx, hook: HookRow, change: HookChange): void {
  setHook(tx, hook, change)
  const active = change.active ?? hook.active
  if (active === hook.active) return
  if (active === 0) cancelDue(tx, hook.id)
  setDeliveryState(tx, hook.id, {
    light_delivery: hook.light_delivery,
    // A cancelled retry makes the last attempt final, so amber becomes red.
    light: active === 0 && hook.light === 'amber' ? 'red' : hook.light,
    failed_in_row: active === 0 ? hook.failed_in_row : 0,
    failing_since: active === 0 ? hook.failing_since : null,
  })
}

/** Pauses a webhook whose deliveries failed for long, and mails its managers. */
export function pauseFailing(tx: Tx, hook: HookRow): void {
  if (hook.active === 0 || hook.failed_in_row < MAX_FAILURES || hook.failing_since === null) return
  if (hook.failing_since > timestamp(tx.now_ms - FAILING_FOR_MS)) return
  changeHook(tx, hook, { active: 0 })
  const repo = hook.repo_id === null ? null : repoById(tx.db, hook.repo_id)
  const workspace = workspaceById(tx.db, hook.workspace_id ?? repo?.workspace_id ?? '')
  const { host } = new URL(hook.url)
  tx.audit({
    action: 'webhook.paused',
    target: { kind: 'webhook', id: hook.id, name: host },
    workspace_id: workspace?.id ?? null,
    repo_id: hook.repo_id,
    data: { failed: hook.failed_in_row, since: hook.failing_since },
  })
  const name = repo ? fullName(tx.db, repo.id) : (workspace?.slug ?? '')
  const { site_url } = tx.hearth.settings
  const page = repo
    ? `${site_url}/${name}/settings/hooks/${hook.id}`
    : `${site_url}/${name}/-/hooks/${hook.id}`
  for (const { username, email } of listManagers(tx.db, hook, MAX_RECIPIENTS)) {
    const say = sayTo(tx.hearth, email)
    enqueueMail(tx, {
      to: email,
      kind: 'webhook-paused',
      subject: say('A webhook of {name} is paused', { name }),
      text: say(
        '{username},\n\nthe webhook of {name} that sends to {host} is paused: its last {count} deliveries failed,\nthe first of them on {day}, each after six tries. Nothing is sent to it until somebody\nturns it on again:\n{page}\n',
        {
          username,
          name,
          host,
          count: hook.failed_in_row,
          day: hook.failing_since.slice(0, 10),
          page,
        },
      ),
    })
  }
}
