// What all pages of one's own settings have around them.
import type { Child } from '../../jsx/html.ts'
import { PageHead } from '../../components/layout.tsx'
import { Columns, SideNav } from '../../components/tabs.tsx'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'

type Place =
  | 'profile'
  | 'emails'
  | 'notifications'
  | 'security'
  | 'sessions'
  | 'tokens'
  | 'keys'
  | 'applications'
  | 'invites'

export const SettingsFrame = (props: {
  visit: Visit
  title: string
  current: Place
  lead?: Child
  children?: Child
}) => (
  <Shell visit={props.visit} title={props.title} noindex>
    <Columns
      side={
        <SideNav
          label="Settings"
          groups={[
            {
              title: 'Settings',
              tabs: [
                {
                  label: 'Profile',
                  href: '/settings/profile',
                  icon: 'user',
                  current: props.current === 'profile',
                },
                {
                  label: 'Email',
                  href: '/settings/emails',
                  icon: 'mail',
                  current: props.current === 'emails',
                },
                {
                  label: 'Notifications',
                  href: '/settings/notifications',
                  icon: 'bell',
                  current: props.current === 'notifications',
                },
                {
                  label: 'Security',
                  href: '/settings/security',
                  icon: 'lock',
                  current: props.current === 'security',
                },
                {
                  label: 'Sessions',
                  href: '/settings/sessions',
                  icon: 'device',
                  current: props.current === 'sessions',
                },
                {
                  label: 'Access tokens',
                  href: '/settings/tokens',
                  icon: 'key',
                  current: props.current === 'tokens',
                },
                {
                  label: 'SSH keys',
                  href: '/settings/keys',
                  icon: 'terminal',
                  current: props.current === 'keys',
                },
                {
                  label: 'Applications',
                  href: '/settings/applications',
                  icon: 'shield',
                  current: props.current === 'applications',
                },
                {
                  label: 'Invites',
                  href: '/settings/invites',
                  icon: 'users',
                  current: props.current === 'invites',
                },
              ],
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
