// The frame of the pages of a workspace.
import { managesSecurity } from '#features/security/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import type { Child } from '../../jsx/html.ts'
import { WorkspaceHeader } from '../../components/headers.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Columns, SideNav, type Tab } from '../../components/tabs.tsx'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { localized, t } from '../../text.ts'

type WorkspaceTab =
  | 'repositories'
  | 'projects'
  | 'packages'
  | 'activity'
  | 'members'
  | 'teams'
  | 'agents'
  | 'context'
  | 'memory'
  | 'security'
  | 'settings'

/**
 * The fields of a workspace that a visitor sees. Others see only its name and public repositories.
 */
export type WorkspaceSummary = Pick<Workspace, 'slug' | 'name' | 'description'> & {
  role: 'owner' | 'member' | null
  member_count: number | null
}

type ShownTab = Tab & { key: WorkspaceTab; shown?: boolean }

/** What the work of several repositories is gathered in. */
const workTabs = (slug: string, member: boolean): ShownTab[] => [
  {
    key: 'projects',
    label: t('Projects'),
    href: workspacePath(slug, 'projects'),
    icon: 'milestone',
    shown: member,
  },
  { key: 'packages', label: t('Packages'), href: workspacePath(slug, 'packages'), icon: 'package' },
]

/** What agents do, and what people and agents can know. */
const knowledgeTabs = (slug: string, shown: boolean): ShownTab[] => [
  {
    key: 'agents',
    label: t('Agents'),
    href: workspacePath(slug, 'agents'),
    icon: 'agent',
    shown,
  },
  {
    key: 'context',
    label: t('Context'),
    href: workspacePath(slug, 'context'),
    icon: 'search',
    shown,
  },
  {
    key: 'memory',
    label: t('Memory'),
    href: workspacePath(slug, 'memory'),
    icon: 'layers',
    shown,
  },
]

function workspaceTabs(
  { slug, role, member_count }: WorkspaceSummary,
  current: WorkspaceTab,
  seesFindings: boolean,
): Tab[] {
  const member = role !== null
  const tabs: ShownTab[] = [
    { key: 'repositories', label: t('Repositories'), href: workspacePath(slug), icon: 'repo' },
    ...workTabs(slug, member),
    {
      key: 'activity',
      label: t('Activity'),
      href: workspacePath(slug, 'activity'),
      icon: 'activity',
    },
    {
      key: 'members',
      label: t('Members'),
      href: workspacePath(slug, 'members'),
      icon: 'users',
      count: member_count,
      shown: member,
    },
    {
      key: 'teams',
      label: t('Teams'),
      href: workspacePath(slug, 'teams'),
      icon: 'users',
      shown: member,
    },
    ...knowledgeTabs(slug, member),
    {
      key: 'security',
      label: t('Security'),
      href: workspacePath(slug, 'security'),
      icon: 'shield',
      shown: seesFindings,
    },
    {
      key: 'settings',
      label: t('Settings'),
      href: workspacePath(slug, 'settings'),
      icon: 'settings',
      shown: role === 'owner',
    },
  ]
  return tabs
    .filter(({ shown }) => shown !== false)
    .map(({ key, shown: _, ...tab }) => ({ ...tab, current: key === current }))
}

/** Owners and security managers have the tab of findings. */
const seesFindings = ({ hearth, viewer }: Visit, { slug, role }: WorkspaceSummary): boolean =>
  role === 'owner' ||
  (role === 'member' && viewer !== null && managesSecurity(hearth, slug, viewer.id))

export const WorkspaceFrame = (props: {
  visit: Visit
  workspace: WorkspaceSummary
  title: string
  current: WorkspaceTab
  width?: 'wide'
  children?: Child
}) => {
  const { workspace, current } = props
  return (
    <Shell
      visit={props.visit}
      title={props.title}
      width={props.width}
      links={[
        {
          rel: 'alternate',
          type: 'application/atom+xml',
          title: t('What happens in {slug}', { slug: workspace.slug }),
          href: `/${encodeURIComponent(workspace.slug)}.atom`,
        },
      ]}
      header={
        <WorkspaceHeader
          workspace={workspace}
          tabs={workspaceTabs(workspace, current, seesFindings(props.visit, workspace))}
          actions={
            workspace.role === null ? undefined : (
              <LinkButton
                href={`/new?workspace=${encodeURIComponent(workspace.slug)}`}
                small
                icon="plus"
              >
                {t('New repository')}
              </LinkButton>
            )
          }
        />
      }
    >
      {props.children}
    </Shell>
  )
}

const SETTINGS_TABS = localized([
  { key: 'general', label: 'General', path: 'settings', icon: 'settings' },
  { key: 'tokens', label: 'Tokens', path: 'settings/tokens', icon: 'key' },
  { key: 'variables', label: 'Variables and secrets', path: 'variables', icon: 'key' },
  { key: 'runners', label: 'Runners', path: 'runners', icon: 'activity' },
  { key: 'run-storage', label: 'Storage of runs', path: 'run-storage', icon: 'package' },
  { key: 'hooks', label: 'Webhooks', path: 'hooks', icon: 'webhook' },
  { key: 'integrations', label: 'Integrations', path: 'integrations', icon: 'webhook' },
  { key: 'models', label: 'Models', path: 'integrations/models', icon: 'agent' },
  { key: 'rulesets', label: 'Rulesets', path: 'rulesets', icon: 'shield' },
  { key: 'secret-patterns', label: 'Secret patterns', path: 'secret-patterns', icon: 'key' },
  { key: 'audit', label: 'Audit log', path: 'audit', icon: 'history' },
  { key: 'deleted', label: 'Deleted repositories', path: 'settings/deleted', icon: 'trash' },
] as const)

/** The frame of the settings pages of a workspace, for its owners. */
export const WorkspaceSettingsFrame = (props: {
  visit: Visit
  workspace: WorkspaceSummary
  title: string
  part: (typeof SETTINGS_TABS)[number]['key']
  children?: Child
}) => {
  const { workspace, part } = props
  return (
    <WorkspaceFrame
      visit={props.visit}
      workspace={workspace}
      title={props.title}
      current="settings"
    >
      <Columns
        side={
          <SideNav
            label={t('Settings')}
            groups={[
              {
                tabs: SETTINGS_TABS.map(({ key, path, ...tab }) => ({
                  ...tab,
                  href: workspacePath(workspace.slug, path),
                  current: key === part,
                })),
              },
            ]}
          />
        }
      >
        {props.children}
      </Columns>
    </WorkspaceFrame>
  )
}
