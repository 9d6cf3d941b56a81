import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { auditEntries, auditPage, filters, startOf, wantedOf } from './filters.ts'
import { AuditEntries } from './schema.ts'

export const listSiteAuditLog = operation({
  name: 'list_site_audit_log',
  summary:
    'List who changed access, settings, tokens or secrets anywhere on this site, newest first, with what was before and after. For site administrators.',
  route: 'GET /admin/audit-log',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object(filters),
  output: AuditEntries,
  list: 'before',

  handler: ({ hearth, db }, input) => auditPage(hearth, wantedOf(db, input), input),
  lines: ({ hearth, db }, input) => auditEntries(hearth, wantedOf(db, input), startOf(input)),
})
