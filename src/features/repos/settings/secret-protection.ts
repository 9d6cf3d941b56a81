/** Whether a repository is scanned for secrets and refuses them: its settings, or what its workspace requires. */
import type { Db } from '#core/db.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import type { RepoRow } from '../store/repos.ts'
import { settingsOf } from './repo-settings.ts'

export type SecretProtection = {
  readonly push_protection: boolean
  readonly secret_scanning: boolean
  /** What the workspace requires. */
  readonly required: { readonly push_protection: boolean; readonly secret_scanning: boolean }
}

export function secretProtectionOf(
  db: Db,
  row: Pick<RepoRow, 'settings' | 'workspace_id'>,
): SecretProtection {
  const settings = settingsOf(row)
  const workspace = workspaceById(db, row.workspace_id)
  const required = {
    push_protection: workspace?.push_protection_required === 1,
    secret_scanning: workspace?.secret_scanning_required === 1,
  }
  return {
    push_protection: settings.push_protection || required.push_protection,
    secret_scanning: settings.secret_scanning || required.secret_scanning,
    required,
  }
}
