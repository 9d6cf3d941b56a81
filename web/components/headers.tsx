import type { Child } from '../jsx/html.ts'
import { repoPath, workspacePath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Chip } from './state.tsx'
import { Tabs, type Tab } from './tabs.tsx'
import { t } from '../text.ts'

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
    <section
      class="thing-header"
      data-in-place
      aria-label={t('Repository {full_name}', { full_name: repo.full_name })}
    >
      <div class="thing-line">
        <p class="thing-name">
          <Icon
            name={repo.private ? 'lock' : 'repo'}
            label={repo.private ? t('Private repository') : t('Repository')}
          />
          <span>
            <a href={workspacePath(workspace)}>{workspace}</a>
            <span class="slash">/</span>
            <a class="strong" href={repoPath(repo.full_name)}>
              {name}
            </a>
          </span>
          {repo.private && <Chip>{t('Private')}</Chip>}
          {repo.archived && (
            <Chip icon="archive" tone="wait">
              {t('Archived')}
            </Chip>
          )}
          {repo.mirror ? <Chip icon="refresh">{t('Mirror')}</Chip> : null}
        </p>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      <Tabs tabs={tabs} label={t('Repository')} />
    </section>
  )
}

/** The header of every page of a workspace. */
export const WorkspaceHeader = (props: {
  workspace: { slug: string; name: string; description?: string | null }
  tabs: readonly Tab[]
  actions?: Child
}) => (
  <section class="thing-header" aria-label={t('Workspace {slug}', { slug: props.workspace.slug })}>
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
    <Tabs tabs={props.tabs} label={t('Workspace')} />
  </section>
)
