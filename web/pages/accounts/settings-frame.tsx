// What all pages of one's own settings have around them.
import type { Child } from '../../jsx/html.ts'
import { PageHead } from '../../components/layout.tsx'
import { Columns, SideNav } from '../../components/tabs.tsx'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'

type Place = 'tokens' | 'invites'

export const SettingsFrame = (props: { visit: Visit; title: string; current: Place; lead?: Child; children?: Child }) => (
  <Shell visit={props.visit} title={props.title} noindex>
    <Columns
      side={
        <SideNav
          label="Settings"
          groups={[
            {
              title: 'Settings',
              tabs: [
                { label: 'Access tokens', href: '/settings/tokens', icon: 'key', current: props.current === 'tokens' },
                { label: 'Invites', href: '/settings/invites', icon: 'mail', current: props.current === 'invites' },
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
