import { listSiteAuditLog } from '#features/audit/index.ts'
import { page } from '../../site.ts'
import {
  asInput,
  AuditLog,
  auditDownload,
  filtersOf,
  type AuditFilters,
  ENTRIES_PER_PAGE,
} from '../audit-log.tsx'
import { AdminFrame } from './frame.tsx'
import { t } from '../../text.ts'

const withoutRepo = ({ repo: _, ...filters }: AuditFilters): Omit<AuditFilters, 'repo'> => filters

export const siteAuditPage = page({
  path: '/admin/audit',
  load: async (visit) => {
    const filters = withoutRepo(filtersOf(visit))
    const before = visit.url.searchParams.get('before')
    const { items, next } = await visit.call(listSiteAuditLog, {
      ...withoutRepo(asInput(filters)),
      ...(before ? { before } : {}),
      per_page: ENTRIES_PER_PAGE,
    })
    return { filters, before, entries: items, next }
  },
  view: (log, visit) => (
    <AdminFrame
      visit={visit}
      title={t('Audit log')}
      lead={t(
        'Who changed access, settings, tokens and secrets, anywhere on this site. Each entry holds the hash of the one before.',
      )}
    >
      <AuditLog here="/admin/audit" site visit={visit} {...log} />
    </AdminFrame>
  ),
})

export const siteAuditDownload = auditDownload(
  '/admin/audit/download',
  (visit, { repo: _, ...input }) => visit.call(listSiteAuditLog, input),
)
