import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { RepoSettings, settingsOf } from './repo-settings.ts'
import { requireRepo } from '../store/repos.ts'

export const getRepoSettings = operation({
  name: 'get_repo_settings',
  summary:
    'Get the settings of a repository: approvals, checks, merging, contributions and what is switched on. For everyone with Read.',
  keywords: ['repository settings', 'merge settings', 'required approvals'],
  route: 'GET /repos/{owner}/{name}/settings',
  toolset: 'code',
  listed: 'default',
  access: readsRepoAs('read', { scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: RepoSettings,

  handler: ({ db, repo }) => settingsOf(requireRepo(db, repo.id)),
})
