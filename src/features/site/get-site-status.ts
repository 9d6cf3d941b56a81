import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SiteStatus } from './schema.ts'
import { collectSiteStatus } from './status.ts'

export const getSiteStatus = operation({
  name: 'get_site_status',
  summary:
    'Get how this installation does: release, database, disk, queues, backups, mail, isolation of checks. For site administrators, people only.',
  keywords: [
    'is the server healthy',
    'server health',
    'is the server ok',
    'disk space left',
    'server status',
  ],
  route: 'GET /admin/status',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({}),
  output: SiteStatus,

  handler: ({ hearth }) => collectSiteStatus(hearth),
})
