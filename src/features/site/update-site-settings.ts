import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { FreeForm, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { applySettings, CHANGEABLE, checked } from './changeable.ts'
import { SiteSettings } from './schema.ts'
import { settingsRecord } from './settings-record.ts'
import { putSetting, removeSetting } from './store.ts'

export const updateSiteSettings = operation({
  name: 'update_site_settings',
  summary:
    'Change settings of this installation while it runs, by their names in hearth.toml; null goes back to what the configuration says. They win over the file. For site administrators, people only. Answers with all settings.',
  route: 'PATCH /admin/settings',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    settings: FreeForm({ description: 'Names and values, such as {"accounts.sign_up": "open"}.' }),
  }),
  output: SiteSettings,
  annotations: { idempotent: true },

  handler: async ({ hearth, caller, write }, { settings }) => {
    const given = Object.entries(settings)
    if (given.length === 0)
      throw invalid('settings', `name what to change: ${Object.keys(CHANGEABLE).join(', ')}`)
    const wanted = given.map(
      ([name, value]) =>
        [
          name,
          value === null && Object.hasOwn(CHANGEABLE, name) ? null : checked(name, value),
        ] as const,
    )
    await write((tx) => {
      const before = settingsRecord(hearth).settings
      for (const [name, value] of wanted) {
        if (value === null) removeSetting(tx, name)
        else putSetting(tx, name, value, caller.id)
      }
      // An order of one's own is kept: what is on disk first, then what holds.
      tx.afterCommit(() => applySettings(hearth))
      tx.audit({
        action: 'site.settings_changed',
        target: { kind: 'site', id: 'site', name: hearth.settings.site_url },
        data: {
          before: Object.fromEntries(wanted.map(([name]) => [name, before[name]])),
          after: Object.fromEntries(wanted),
        },
      })
    })
    return settingsRecord(hearth)
  },
})
