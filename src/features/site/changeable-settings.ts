/**
 * Settings that administrators change while the forge runs. Each is declared once, with the values
 * that it takes (`core/setting-list.ts`). Settings that open ports, name secrets or say who is
 * trusted need access to the machine, so they are not changeable here.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { describeChoices, isChoice, readChoice, withChoice } from '#core/setting.ts'
import { findSetting, SETTING_NAMES } from '#core/setting-list.ts'
import type { Settings } from '#core/settings.ts'
import { invalid } from '#lib/errors.ts'
import { listSettings } from './store.ts'

/** Whether administrators can change a setting here. Any text may be asked for. */
export const isChangeable = (name: string): boolean => Boolean(findSetting(name)?.changeable)

/** The names of the settings that administrators can change, in the order of the documentation. */
export const CHANGEABLE_NAMES: readonly string[] = SETTING_NAMES.filter(isChangeable)

/** The current values of all changeable settings, written as in the configuration. */
export const changeableValues = (settings: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    CHANGEABLE_NAMES.flatMap((name) => {
      const setting = findSetting(name)
      return setting ? [[name, readChoice(setting, settings)]] : []
    }),
  )

/** Throws 422 for an unknown setting and for a value that it does not accept. */
export function requireSettingValue(name: string, value: unknown): unknown {
  const setting = findSetting(name)
  const field = `settings.${name}`.slice(0, 200)
  if (!setting?.changeable)
    throw invalid(
      field,
      `${name.slice(0, 100)} cannot be changed here; these can: ${CHANGEABLE_NAMES.join(', ')}`,
    )
  if (!isChoice(setting, value))
    throw invalid(
      field,
      `${name} takes ${describeChoices(setting)}, or null for what the configuration says`,
    )
  return value
}

/** The configured settings (flags, environment, file) before changes by administrators. */
const configuredSettings = service(
  'configured settings',
  ({ settings }: Hearth): Settings => ({ ...settings }),
)

/**
 * Resets the settings to the configuration and applies the stored changes. Called when a forge is
 * opened and after each change.
 */
export function applySettings(hearth: Pick<Hearth, 'settings' | 'db' | 'log' | 'services'>): void {
  let changed = configuredSettings(hearth)
  for (const { name, value: stored } of listSettings(hearth.db)) {
    const setting = findSetting(name)
    const value: unknown = JSON.parse(stored)
    // A value that another release wrote is ignored. The configured value stays in effect.
    if (setting && isChoice(setting, value)) changed = withChoice(setting, changed, value)
    else hearth.log.warn('a stored setting is unknown or invalid and was ignored', { name })
  }
  // All parts of the forge hold the same record, so its fields are replaced.
  Object.assign(hearth.settings, changed)
}
