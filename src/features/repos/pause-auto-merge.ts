/** Switches automatic merging off, for those who stop what works by itself. */
import type { Tx } from '#core/write.ts'
import { repoUpdated } from './events.ts'
import { auditRepo, requireLive } from './lifecycle.ts'
import { differing, settingsOf } from './settings.ts'
import { setRepo } from './store.ts'

export function pauseAutoMerge(tx: Tx, repo_id: string): void {
  const row = requireLive(tx.db, repo_id, { whileArchived: true })
  const settings = settingsOf(row)
  if (!settings.auto_merge) return
  setRepo(tx, row.id, { settings: differing({ ...settings, auto_merge: false }) })
  tx.append(
    repoUpdated,
    { workspace_id: row.workspace_id, repo_id: row.id },
    { changed: ['auto_merge'] },
  )
  auditRepo(tx, 'repo.settings_changed', row, {
    before: { auto_merge: true },
    after: { auto_merge: false },
  })
}
