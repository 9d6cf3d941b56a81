/** The repository of a page of pull requests with its settings, read once. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { fullNameOf, requireRepo, settingsOf, type RepoRow } from '#features/repos/index.ts'
import type { RepoSettings } from '#features/repos/schema.ts'
import type { Static } from '#core/schema.ts'
import { stricterSettings, type SettingsScope } from './extension-points.ts'

export type Settings = Static<typeof RepoSettings>

export type PullContext = {
  readonly repo: RepoRow
  readonly full_name: string
  readonly settings: Settings
}

export function contextOf(db: Db, repo_id: string): PullContext {
  const repo = requireRepo(db, repo_id)
  return { repo, full_name: fullNameOf(db, repo), settings: settingsOf(repo) }
}

export const subjectOf = ({ repo }: PullContext) => ({
  workspace_id: repo.workspace_id,
  repo_id: repo.id,
})

/**
 * The same, with the settings for merging into one base, which rules can only make stricter. Rules
 * for some pull requests, or with bypass actors, apply as far as `pull` and `by` are given.
 */
export function contextFor(
  hearth: Hearth,
  context: PullContext,
  base_ref: string,
  { pull = null, by = null }: Partial<Pick<SettingsScope, 'pull' | 'by'>> = {},
): PullContext {
  let { settings } = context
  for (const tighten of stricterSettings.all(hearth))
    settings = tighten(hearth, { context, base_ref, pull, by }, settings)
  return settings === context.settings ? context : { ...context, settings }
}
