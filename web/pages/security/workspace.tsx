// Open findings of all repositories of a workspace, for its owners and security managers.
import { getWorkspaceSecurity, type WorkspaceSecurity } from '#features/security/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { EmptyState, Icon, List, PageHead, RelativeTime, Row } from '../../components/index.ts'
import { page, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { securityPath } from './frame.tsx'
import { loadManagers, ManagersCard } from './managers.tsx'
import { TrendCard } from './trend.tsx'

const RepoRow = ({
  visit,
  counts: { repo, open, critical, high, oldest_at },
}: {
  visit: Visit
  counts: WorkspaceSecurity['repos'][number]
}) => (
  <Row
    mark={<Icon name="warning" />}
    title={
      <a class="row-link" href={securityPath(repo)}>
        {repo}
      </a>
    }
    meta={
      <>
        <span>{tn('{count} open alert', '{count} open alerts', open)}</span>
        {critical > 0 && <span>{t('{count} critical', { count: critical })}</span>}
        {high > 0 && <span>{t('{count} high', { count: high })}</span>}
        <span>
          {rich('oldest from {at}', {
            at: <RelativeTime at={oldest_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
      </>
    }
  />
)

export const workspaceSecurityPage = page({
  path: '/:workspace/-/security',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    const security = await visit.call(getWorkspaceSecurity, { workspace: workspace.slug })
    return { workspace, security, managers: await loadManagers(visit, workspace) }
  },
  view: ({ workspace, managers, security: { repos, weeks } }, visit) => (
    <WorkspaceFrame visit={visit} workspace={workspace} title={t('Security')} current="security">
      <PageHead
        title={t('Security')}
        lead={t('Repositories with open alerts, the most severe first.')}
      />
      {repos.length === 0 ? (
        <EmptyState icon="shield" title={t('No open alerts')}>
          {rich('Upload the results of a scanner, or <a>read how secrets are found</a>.', {
            a: (inner) => <a href="/docs/secret-scanning">{inner}</a>,
          })}
        </EmptyState>
      ) : (
        <List label={t('Repositories')}>
          {repos.map((counts) => (
            <RepoRow visit={visit} counts={counts} />
          ))}
        </List>
      )}
      <TrendCard weeks={weeks} />
      <ManagersCard visit={visit} workspace={workspace} managers={managers} />
    </WorkspaceFrame>
  ),
})
