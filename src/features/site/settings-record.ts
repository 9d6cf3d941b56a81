/** All settings of an installation as one record. */
import type { Hearth } from '#core/hearth.ts'
import { changeableValues, isChangeable } from './changeable-settings.ts'
import type { SiteSettings } from './schema.ts'
import { listSettings } from './store.ts'

export function settingsRecord({ settings, db }: Hearth): SiteSettings {
  const chosen = new Set(listSettings(db).map(({ name }) => name))
  const now = changeableValues(settings)
  const all = settings.configuration.map(({ name, value, source, help }) => {
    const changeable = isChangeable(name)
    return {
      name,
      help,
      changeable,
      value: changeable ? now[name] : value,
      source: chosen.has(name) ? ('site' as const) : source,
    }
  })
  return { settings: now, all }
}
