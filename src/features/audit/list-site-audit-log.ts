import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  auditEntries,
  auditPage,
  auditFilters,
  startEntryOf,
  auditCriteriaOf,
} from './audit-filters.ts'
import { AuditEntries } from './schema.ts'

export const listSiteAuditLog = operation({
  name: 'list_site_audit_log',
  summary:
    'List who changed access, settings, tokens or secrets anywhere on this site, newest first, with what was before and after. For site administrators.',
  keywords: ['site audit', 'audit of the whole server', 'admin audit'],
  route: 'GET /admin/audit-log',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object(auditFilters),
  output: AuditEntries,
  list: 'before',

  handler: ({ hearth, db }, input) => auditPage(hearth, auditCriteriaOf(db, input), input),
  lines: ({ hearth, db }, input) =>
    auditEntries(hearth, auditCriteriaOf(db, input), startEntryOf(input)),
})
