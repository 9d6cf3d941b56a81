import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { refusesUnknown, RepoPath, Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { repoUpdated } from '../events.ts'
import { configuredModels } from '../extension-points.ts'
import { auditRepo, requireLive } from '../lifecycle/preconditions.ts'
import {
  changedSettings,
  DEFAULT_SETTINGS,
  differencesFromDefaults,
  RepoSettings,
  settingsOf,
} from './repo-settings.ts'
import { setRepo } from '../store/repos.ts'

export const updateRepoSettings = operation({
  name: 'update_repo_settings',
  summary:
    'Change settings of a repository (Maintain). Only those given change; answers all of them.',
  keywords: [
    'turn the wiki off',
    'merge methods',
    'squash merging',
    'required approvals',
    'approvals before merging',
    'push protection',
    'enable issues',
    'merge queue on',
    'auto merge for a repository',
    'require up to date',
    'require code owner review',
    'delete branch on merge',
    'triage of issues',
  ],
  route: 'PATCH /repos/{owner}/{name}/settings',
  toolset: 'code',
  access: writesRepo('maintain', { scope: 'repo:admin' }),
  input: Type.Object({ repo: RepoPath, ...Type.Partial(RepoSettings).properties }, refusesUnknown),
  output: RepoSettings,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, write }, { repo: _, ...given }) => {
    // A misspelt setting must not look as if it were saved.
    const unknown = Object.keys(given).find((name) => !(name in DEFAULT_SETTINGS))
    if (unknown !== undefined)
      throw invalid(
        unknown.slice(0, 200),
        `there is no setting ${JSON.stringify(unknown.slice(0, 60))}`,
        { reason: 'unknown_input' },
      )
    const { hosts } = hearth.settings.agents
    const stranger = given.agent_hosts?.find((host) => !hosts.includes(host))
    if (stranger !== undefined)
      throw invalid(
        'agent_hosts',
        `${stranger} is not a host of the setting agents.hosts, which has ${hosts.join(', ') || 'none'}`,
      )
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      const before = settingsOf(row)
      const after: RepoSettings = { ...before, ...given }
      after.merge_methods = [...new Set(after.merge_methods)]
      if (!after.merge_methods.includes(after.default_merge_method)) {
        throw invalid(
          'default_merge_method',
          `default_merge_method is ${after.default_merge_method}, which merge_methods does not have`,
        )
      }
      const hasModel = (task: 'review' | 'triage'): boolean =>
        configuredModels.all(hearth).some((has) => has(tx.db, row.workspace_id, task))
      if (after.agent_review && !before.agent_review && !hasModel('review')) {
        throw conflict(
          'model_not_configured',
          'agent_review needs a review model, and the workspace has none; an owner sets one under Settings, Models',
          { field: 'agent_review' },
        )
      }
      if (after.issue_triage !== 'off' && before.issue_triage === 'off' && !hasModel('triage')) {
        throw conflict(
          'model_not_configured',
          'issue_triage needs a model for triage, and the workspace has none; an owner sets one under Settings, Models',
          { field: 'issue_triage' },
        )
      }
      const changed = changedSettings(before, after)
      if (changed.length > 0) {
        setRepo(tx, row.id, { settings: differencesFromDefaults(after) })
        tx.append(repoUpdated, { workspace_id: row.workspace_id, repo_id: row.id }, { changed })
        auditRepo(tx, 'repo.settings_changed', row, {
          before: pick(before, changed),
          after: pick(after, changed),
        })
      }
      return after
    })
  },
})

const pick = (settings: RepoSettings, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)))
