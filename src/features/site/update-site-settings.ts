import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { FreeForm, Type } from '#core/schema.ts'
import { settingsChanged } from '#core/settings-changed.ts'
import { invalid } from '#lib/errors.ts'
import {
  applySettings,
  CHANGEABLE_NAMES,
  isChangeable,
  requireSettingValue,
} from './changeable-settings.ts'
import { SiteSettings } from './schema.ts'
import { settingsRecord } from './settings-record.ts'
import { putSetting, removeSetting } from './store.ts'

export const updateSiteSettings = operation({
  name: 'update_site_settings',
  summary:
    'Change settings of this installation while it runs, by their names in hearth.toml; null goes back to what the configuration says. They win over the file. For site administrators, people only. Answers with all settings.',
  keywords: [
    'change server configuration',
    'open registration',
    'close sign-up',
    'server settings',
  ],
  route: 'PATCH /admin/settings',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    settings: FreeForm({ description: 'Names and values, such as {"accounts.sign_up": "open"}.' }),
  }),
  output: SiteSettings,
  annotations: { idempotent: true },

  handler: async ({ hearth, caller, write }, { settings }) => {
    const entries = Object.entries(settings)
    if (entries.length === 0)
      throw invalid('settings', `name what to change: ${CHANGEABLE_NAMES.join(', ')}`)
    const changes = entries.map(
      ([name, value]) =>
        [
          name,
          value === null && isChangeable(name) ? null : requireSettingValue(name, value),
        ] as const,
    )
    await write((tx) => {
      const before = settingsRecord(hearth).settings
      for (const [name, value] of changes) {
        if (value === null) removeSetting(tx, name)
        else putSetting(tx, name, value, caller.id)
      }
      // The settings take effect only after the change is on disk.
      tx.afterCommit(() => applySettings(hearth))
      tx.emit(settingsChanged, {})
      tx.audit({
        action: 'site.settings_changed',
        target: { kind: 'site', id: 'site', name: hearth.settings.site_url },
        data: {
          before: Object.fromEntries(changes.map(([name]) => [name, before[name]])),
          after: Object.fromEntries(changes),
        },
      })
    })
    return settingsRecord(hearth)
  },
})
