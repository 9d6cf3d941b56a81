/** Turns auto-merge off, for features that stop automatic actions. */
import type { Tx } from '#core/write.ts'
import { repoUpdated } from '../events.ts'
import { auditRepo, requireLive } from '../lifecycle/preconditions.ts'
import { differencesFromDefaults, settingsOf } from './repo-settings.ts'
import { setRepo } from '../store/repos.ts'

export function pauseAutoMerge(tx: Tx, repo_id: string): void {
  const row = requireLive(tx.db, repo_id, { whileArchived: true })
  const settings = settingsOf(row)
  if (!settings.auto_merge) return
  setRepo(tx, row.id, { settings: differencesFromDefaults({ ...settings, auto_merge: false }) })
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
