// The frame of the pages of one package: where it is, its name, and the tabs of its admins.
import { getPackage, type Package } from '#features/packages/index.ts'
import { Breadcrumbs, PageHead, Tabs } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { WorkspaceFrame, type WorkspaceSummary } from '../workspaces/frame.tsx'
import { packagePath } from './package-parts.tsx'
import { workspaceSummary } from './workspace-summary.ts'

type PackageTab = 'overview' | 'access' | 'retention' | 'settings'

export const targetOf = (visit: Visit) => ({
  workspace: visit.params.workspace ?? '',
  package_type: (visit.params.type ?? '') as Package['package_type'],
  package_name: visit.params.name ?? '',
})

/** The address of a page of the package that a visit is about. */
export const pathOf = (visit: Visit, rest = ''): string => {
  const { workspace, package_type, package_name } = targetOf(visit)
  return packagePath({ workspace, package_type, name: package_name }, rest)
}

/** The package and its workspace; null for those who are no admin of it. */
export async function loadAsAdmin(visit: Visit) {
  const item = await visit.call(getPackage, targetOf(visit))
  if (!item.permissions.admin) return null
  return { item, workspace: await workspaceSummary(visit, item.workspace) }
}

const tabsOf = (item: Package, current: PackageTab) => [
  { label: t('Overview'), href: packagePath(item), current: current === 'overview' },
  ...(item.deleted_at === null
    ? [
        {
          label: t('Access'),
          href: packagePath(item, '/access'),
          current: current === 'access',
        },
        {
          label: t('Retention'),
          href: packagePath(item, '/retention'),
          current: current === 'retention',
        },
      ]
    : []),
  { label: t('Settings'), href: packagePath(item, '/settings'), current: current === 'settings' },
]

export const PackageFrame = (props: {
  visit: Visit
  workspace: WorkspaceSummary
  item: Package
  current: PackageTab
  actions?: Child
  children?: Child
}) => {
  const { visit, workspace, item, current } = props
  return (
    <WorkspaceFrame visit={visit} workspace={workspace} title={item.name} current="packages">
      <Breadcrumbs
        parts={[
          { label: t('Packages'), href: workspacePath(item.workspace, 'packages') },
          { label: item.name },
        ]}
      />
      <PageHead
        title={item.name}
        lead={
          current === 'overview' && item.description !== null ? (
            <bdi>{item.description}</bdi>
          ) : undefined
        }
        actions={props.actions}
      />
      {item.permissions.admin && <Tabs label={item.name} tabs={tabsOf(item, current)} />}
      {props.children}
    </WorkspaceFrame>
  )
}
