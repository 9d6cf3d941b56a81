// The owner of rulesets. The same pages serve repositories and workspaces, each in its own frame.
import { getRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { WorkspaceFrame, WorkspaceSettingsFrame } from '../workspaces/frame.tsx'

export type OwnerLevel = 'repository' | 'workspace'

/** The paths of the pages. */
export const BASE: Readonly<Record<OwnerLevel, string>> = {
  repository: '/:workspace/:repo/settings/rulesets',
  workspace: '/:workspace/-/rulesets',
}

export type Target =
  | { readonly repo: string; readonly workspace?: undefined }
  | { readonly workspace: string; readonly repo?: undefined }

/** The input that names the owner. */
export const targetOf = (level: OwnerLevel, visit: Visit): Target =>
  level === 'repository' ? { repo: repoOf(visit) } : { workspace: visit.params.workspace ?? '' }

/** The address of the list, or of a page below it. */
export const rulesetsPath = (level: OwnerLevel, visit: Visit, rest = ''): string =>
  (level === 'repository'
    ? repoPath(repoOf(visit), '/settings/rulesets')
    : workspacePath(visit.params.workspace ?? '', 'rulesets')) + rest

export const rulesetPath = (level: OwnerLevel, visit: Visit, id: string, rest = ''): string =>
  rulesetsPath(level, visit, `/${encodeURIComponent(id)}${rest}`)

export type RulesetOwner = {
  readonly level: OwnerLevel
  readonly name: string
  /** Null for a workspace. */
  readonly repo: Repo | null
  /** Whether the visitor may change the rulesets. */
  readonly mayEdit: boolean
  readonly maySeeInsights: boolean
  readonly frame: (title: string, children: Child) => Html
}

export async function loadRulesetOwner(level: OwnerLevel, visit: Visit): Promise<RulesetOwner> {
  if (level === 'repository') {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    return {
      level,
      name: repo.full_name,
      repo,
      mayEdit: repo.permissions.admin && !repo.archived,
      maySeeInsights: repo.permissions.maintain,
      frame: (title, children) =>
        repo.permissions.maintain ? (
          <RepoSettingsFrame visit={visit} repo={repo} title={title} part="rulesets">
            {children}
          </RepoSettingsFrame>
        ) : (
          <RepoFrame visit={visit} repo={repo} title={title} current="code" width="narrow">
            {children}
          </RepoFrame>
        ),
    }
  }
  const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
  const owner = workspace.role === 'owner'
  return {
    level,
    name: workspace.slug,
    repo: null,
    mayEdit: owner,
    maySeeInsights: false,
    frame: (title, children) =>
      owner ? (
        <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part="rulesets">
          {children}
        </WorkspaceSettingsFrame>
      ) : (
        <WorkspaceFrame visit={visit} workspace={workspace} title={title} current="repositories">
          {children}
        </WorkspaceFrame>
      ),
  }
}
