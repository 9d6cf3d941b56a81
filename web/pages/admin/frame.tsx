// The frame of the pages of site administration.
import type { Child } from '../../jsx/html.ts'
import { PageHead } from '../../components/layout.tsx'
import { Columns, SideNav } from '../../components/tabs.tsx'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { localized, t } from '../../text.ts'

const ADMIN_TABS = localized([
  { label: 'Status', href: '/admin', icon: 'activity' },
  { label: 'Settings', href: '/admin/settings', icon: 'settings' },
  { label: 'Accounts', href: '/admin/users', icon: 'users' },
  { label: 'Workspaces', href: '/admin/workspaces', icon: 'workspace' },
  { label: 'Background jobs', href: '/admin/jobs', icon: 'clock' },
  { label: 'Runners', href: '/admin/runners', icon: 'refresh' },
  { label: 'Agent programs', href: '/admin/agents', icon: 'agent' },
  { label: 'Backups', href: '/admin/backups', icon: 'download' },
  { label: 'Mail and network', href: '/admin/mail', icon: 'mail' },
  { label: 'Audit log', href: '/admin/audit', icon: 'shield' },
  { label: 'Guide', href: '/docs/operate', icon: 'book' },
] as const)

export const AdminFrame = (props: {
  visit: Visit
  title: string
  lead?: Child
  actions?: Child
  children?: Child
}) => (
  <Shell visit={props.visit} title={props.title} noindex>
    <Columns
      side={
        <SideNav
          label={t('Administration')}
          groups={[
            {
              title: t('Administration'),
              tabs: ADMIN_TABS.map((place) => ({
                ...place,
                current: props.visit.url.pathname.replace(/\/$/, '') === place.href,
              })),
            },
          ]}
        />
      }
    >
      <PageHead title={props.title} lead={props.lead} actions={props.actions} />
      {props.children}
    </Columns>
  </Shell>
)
