// The frame of the pages of a user's settings.
import type { Child } from '../../jsx/html.ts'
import { PageHead } from '../../components/layout.tsx'
import { Columns, SideNav } from '../../components/tabs.tsx'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { localized, t } from '../../text.ts'

const TABS = localized([
  { key: 'profile', label: 'Profile', href: '/settings/profile', icon: 'user' },
  { key: 'appearance', label: 'Appearance', href: '/settings/appearance', icon: 'eye' },
  { key: 'emails', label: 'Email', href: '/settings/emails', icon: 'mail' },
  { key: 'notifications', label: 'Notifications', href: '/settings/notifications', icon: 'bell' },
  { key: 'security', label: 'Security', href: '/settings/security', icon: 'lock' },
  { key: 'sessions', label: 'Sessions', href: '/settings/sessions', icon: 'device' },
  { key: 'tokens', label: 'Access tokens', href: '/settings/tokens', icon: 'key' },
  { key: 'keys', label: 'SSH keys', href: '/settings/keys', icon: 'terminal' },
  { key: 'applications', label: 'Applications', href: '/settings/applications', icon: 'shield' },
  { key: 'invites', label: 'Invites', href: '/settings/invites', icon: 'users' },
] as const)

type SettingsTab = (typeof TABS)[number]['key']

export const SettingsFrame = (props: {
  visit: Visit
  title: string
  current: SettingsTab
  lead?: Child
  children?: Child
}) => (
  <Shell visit={props.visit} title={props.title} noindex>
    <Columns
      side={
        <SideNav
          label={t('Settings')}
          groups={[
            {
              title: t('Settings'),
              tabs: TABS.map(({ key, ...tab }) => ({ ...tab, current: key === props.current })),
            },
          ]}
        />
      }
    >
      <PageHead title={props.title} lead={props.lead} />
      {props.children}
    </Columns>
  </Shell>
)
