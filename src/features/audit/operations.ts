export { listAuditLog } from './list-audit-log.ts'
export { listSiteAuditLog } from './list-site-audit-log.ts'
