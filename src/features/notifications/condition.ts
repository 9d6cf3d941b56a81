/** The condition of notifications for site administrators. */
import type { Condition } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { countWork } from './delivery/store-work.ts'

export function condition({ db }: Hearth): Condition {
  const { waiting, failed } = countWork(db)
  return {
    name: 'notifications',
    href: null,
    state: failed > 0 ? 'attention' : 'ok',
    detail:
      failed > 0
        ? `Notifications failed: ${failed}. The log says why ("people could not be notified").`
        : waiting === 0
          ? 'Everybody has been notified.'
          : `Notifications are being sent: ${waiting}.`,
  }
}
