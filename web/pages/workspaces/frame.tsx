// What all pages of a workspace have around them.
import type { Workspace } from '#features/workspaces/index.ts'
import type { Child } from '../../jsx/html.ts'
import { WorkspaceHeader } from '../../components/headers.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Columns, SideNav } from '../../components/tabs.tsx'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'

type Place = 'repositories' | 'activity' | 'members' | 'teams' | 'settings'

/**
 * A workspace as far as the visitor knows it: strangers see only its name and public repositories.
 */
export type WorkspaceLook = Pick<Workspace, 'slug' | 'name' | 'description'> & {
  role: 'owner' | 'member' | null
  member_count: number | null
}

export const WorkspaceFrame = (props: {
  visit: Visit
  workspace: WorkspaceLook
  title: string
  current: Place
  children?: Child
}) => {
  const { workspace, current } = props
  return (
    <Shell
      visit={props.visit}
      title={props.title}
      links={[
        {
          rel: 'alternate',
          type: 'application/atom+xml',
          title: `What happens in ${workspace.slug}`,
          href: `/${encodeURIComponent(workspace.slug)}.atom`,
        },
      ]}
      header={
        <WorkspaceHeader
          workspace={workspace}
          tabs={[
            {
              label: 'Repositories',
              href: workspacePath(workspace.slug),
              icon: 'repo',
              current: current === 'repositories',
            },
            {
              label: 'Activity',
              href: workspacePath(workspace.slug, 'activity'),
              icon: 'activity',
              current: current === 'activity',
            },
            ...(workspace.role === null
              ? []
              : [
                  {
                    label: 'Members',
                    href: workspacePath(workspace.slug, 'members'),
                    icon: 'users' as const,
                    count: workspace.member_count,
                    current: current === 'members',
                  },
                  {
                    label: 'Teams',
                    href: workspacePath(workspace.slug, 'teams'),
                    icon: 'users' as const,
                    current: current === 'teams',
                  },
                ]),
            ...(workspace.role === 'owner'
              ? [
                  {
                    label: 'Settings',
                    href: workspacePath(workspace.slug, 'settings'),
                    icon: 'settings' as const,
                    current: current === 'settings',
                  },
                ]
              : []),
          ]}
          actions={
            workspace.role === null ? undefined : (
              <LinkButton
                href={`/new?workspace=${encodeURIComponent(workspace.slug)}`}
                small
                icon="plus"
              >
                New repository
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

/** What all settings pages of a workspace have around them, for its owners. */
export const WorkspaceSettingsFrame = (props: {
  visit: Visit
  workspace: WorkspaceLook
  title: string
  part: 'general' | 'tokens' | 'hooks' | 'rulesets' | 'audit' | 'deleted'
  children?: Child
}) => {
  const { workspace, part } = props
  const at = (path: string) => workspacePath(workspace.slug, path)
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
            label="Settings"
            groups={[
              {
                tabs: [
                  {
                    label: 'General',
                    href: at('settings'),
                    icon: 'settings',
                    current: part === 'general',
                  },
                  {
                    label: 'Tokens',
                    href: at('settings/tokens'),
                    icon: 'key',
                    current: part === 'tokens',
                  },
                  {
                    label: 'Webhooks',
                    href: at('hooks'),
                    icon: 'webhook',
                    current: part === 'hooks',
                  },
                  {
                    label: 'Rulesets',
                    href: at('rulesets'),
                    icon: 'shield',
                    current: part === 'rulesets',
                  },
                  {
                    label: 'Audit log',
                    href: at('audit'),
                    icon: 'history',
                    current: part === 'audit',
                  },
                  {
                    label: 'Deleted repositories',
                    href: at('settings/deleted'),
                    icon: 'trash',
                    current: part === 'deleted',
                  },
                ],
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
