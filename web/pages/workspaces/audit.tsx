import { listAuditLog } from '#features/audit/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { PageHead } from '../../components/layout.tsx'
import { workspacePath } from '../../paths.ts'
import { page } from '../../site.ts'
import { asInput, AuditLog, auditDownload, filtersOf, ENTRIES_PER_PAGE } from '../audit-log.tsx'
import { WorkspaceSettingsFrame } from './frame.tsx'
import { t } from '../../text.ts'

export const workspaceAuditPage = page({
  path: '/:workspace/-/audit',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    if (workspace.role !== 'owner') return null
    const filters = filtersOf(visit)
    const before = visit.url.searchParams.get('before')
    const { items, next } = await visit.call(listAuditLog, {
      workspace: workspace.slug,
      ...asInput(filters),
      ...(before ? { before } : {}),
      per_page: ENTRIES_PER_PAGE,
    })
    return { workspace, filters, before, entries: items, next }
  },
  view: ({ workspace, ...log }, visit) => (
    <WorkspaceSettingsFrame
      visit={visit}
      workspace={workspace}
      title={t('Audit log of {name}', { name: workspace.name })}
      part="audit"
    >
      <PageHead
        title={t('Audit log')}
        lead={t('Who changed access, settings, tokens and secrets. Nothing in it can be changed.')}
      />
      <AuditLog here={workspacePath(workspace.slug, 'audit')} site={false} visit={visit} {...log} />
    </WorkspaceSettingsFrame>
  ),
})

export const workspaceAuditDownload = auditDownload(
  '/:workspace/-/audit/download',
  (visit, input) => visit.call(listAuditLog, { workspace: visit.params.workspace ?? '', ...input }),
)
