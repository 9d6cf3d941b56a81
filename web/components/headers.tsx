import type { Child } from '../jsx/html.ts'
import { repoPath, workspacePath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Chip } from './state.tsx'
import { Tabs, type Tab } from './tabs.tsx'

export interface RepoSummary {
  full_name: string
  description?: string | null
  private?: boolean
  archived?: boolean
  mirror?: unknown
}

/** The header of every page of a repository: owner, name, tabs. */
export const RepoHeader = ({
  repo,
  tabs,
  actions,
}: {
  repo: RepoSummary
  tabs: readonly Tab[]
  actions?: Child
}) => {
  const [workspace = '', name = ''] = repo.full_name.split('/')
  return (
    <section class="thing-header" aria-label={`Repository ${repo.full_name}`}>
      <div class="thing-line">
        <p class="thing-name">
          <Icon
            name={repo.private ? 'lock' : 'repo'}
            label={repo.private ? 'Private repository' : 'Repository'}
          />
          <span>
            <a href={workspacePath(workspace)}>{workspace}</a>
            <span class="slash">/</span>
            <a class="strong" href={repoPath(repo.full_name)}>
              {name}
            </a>
          </span>
          {repo.private && <Chip>Private</Chip>}
          {repo.archived && (
            <Chip icon="archive" tone="wait">
              Archived
            </Chip>
          )}
          {repo.mirror ? <Chip icon="refresh">Mirror</Chip> : null}
        </p>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      <Tabs tabs={tabs} label="Repository" />
    </section>
  )
}

/** The header of every page of a workspace. */
export const WorkspaceHeader = (props: {
  workspace: { slug: string; name: string; description?: string | null }
  tabs: readonly Tab[]
  actions?: Child
}) => (
  <section class="thing-header" aria-label={`Workspace ${props.workspace.slug}`}>
    <div class="thing-line">
      <div class="thing-name thing-workspace">
        <Avatar
          of={{ username: props.workspace.slug, kind: 'workspace', name: props.workspace.name }}
          size={44}
        />
        <div>
          <p class="thing-title">
            <a href={workspacePath(props.workspace.slug)}>{props.workspace.name}</a>
          </p>
          <p class="muted">{props.workspace.description || `@${props.workspace.slug}`}</p>
        </div>
      </div>
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </div>
    <Tabs tabs={props.tabs} label="Workspace" />
  </section>
)
