import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SiteSettings } from './schema.ts'
import { settingsRecord } from './settings-record.ts'

export const getSiteSettings = operation({
  name: 'get_site_settings',
  summary:
    'Get what this installation is set to: what update_site_settings can change, and all else with where it comes from. Of secrets only whether they are set. For site administrators, people only.',
  keywords: ['server configuration', 'installation settings', 'how is the server configured'],
  route: 'GET /admin/settings',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({}),
  output: SiteSettings,

  handler: ({ hearth }) => settingsRecord(hearth),
})
