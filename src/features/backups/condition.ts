/** The state of backups in one line, for administrators. */
import type { Condition } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { DAY, HOUR } from '#lib/time.ts'
import { findLastDone, findLastFailure } from './store.ts'

const backupCondition = (state: Condition['state'], detail: string): Condition => ({
  name: 'backups',
  state,
  detail,
  href: '/admin/backups',
})

const formatAge = (ms: number): string =>
  ms < 2 * HOUR
    ? 'less than two hours'
    : ms < 2 * DAY
      ? `${Math.floor(ms / HOUR)} hours`
      : `${Math.floor(ms / DAY)} days`

export function condition(hearth: Hearth): Condition {
  const { every_ms } = hearth.settings.backups
  const last = findLastDone(hearth.db)
  const failure = findLastFailure(hearth.db)
  if (failure)
    return backupCondition(
      'failing',
      `The last backup failed: ${failure.error ?? 'no reason is known'}.`,
    )
  if (last?.verification === 'failed')
    return backupCondition('failing', 'The newest backup was found not to be sound.')
  if (!last)
    return backupCondition(
      'attention',
      every_ms === null
        ? 'There is no backup, and none is made by itself.'
        : 'There is no backup yet.',
    )
  const age = hearth.clock.now() - Date.parse(last.started_at ?? last.created_at)
  const late = age > (every_ms === null ? 8 * DAY : 2 * every_ms + HOUR)
  return backupCondition(
    late ? 'attention' : 'ok',
    `The newest backup is ${formatAge(age)} old${last.verification === 'passed' ? ' and was proved' : ''}.`,
  )
}
