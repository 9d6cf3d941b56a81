/**
 * The configured value of every setting: flags win over `HEARTH_…` variables, variables over the
 * file `hearth.toml`, and the file over the defaults. An unknown name is an error that suggests the
 * nearest known one, so that no misspelt setting goes unnoticed.
 */
import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { parseSetting, SettingError, variableOf } from '#core/setting.ts'
import {
  findSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingValues,
} from '#core/setting-list.ts'
import type { ConfiguredSetting } from '#core/settings.ts'
import { nearest } from '#lib/nearest.ts'

/** A flag, variable or file is wrong. The message is for the person who starts the program. */
export class ConfigError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>

type Values = ReadonlyMap<string, unknown>

/** Variables of the program that are not settings. */
const OTHER_VARIABLES = ['HEARTH_CONFIG', 'HEARTH_TOKEN', 'HEARTH_URL', 'HEARTH_CHROMIUM']

/** Throws ConfigError for a value that the setting does not take. `where` is a file or variable. */
function parse(name: SettingName, value: unknown, where: string): unknown {
  try {
    return parseSetting(SETTINGS[name], value)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw new ConfigError(`${where}: ${name} ${error.message}, not ${JSON.stringify(value)}`)
  }
}

/** Reads the variables. Throws ConfigError for an unknown one that begins with `HEARTH_`. */
export function readEnvironment(environment: Environment): Values {
  const values = new Map<string, unknown>()
  for (const name of SETTING_NAMES) {
    const value = environment[variableOf(name)]
    if (value !== undefined) values.set(name, parse(name, value, variableOf(name)))
  }
  const known = new Set([...SETTING_NAMES.map(variableOf), ...OTHER_VARIABLES])
  for (const name of Object.keys(environment)) {
    if (name.startsWith('HEARTH_') && !known.has(name))
      throw new ConfigError(
        `the environment variable ${name} is not known; did you mean ${nearest(name, [...known])}?`,
      )
  }
  return values
}

/** The tables of a TOML file as `section.key` names. */
function flatten(table: Record<string, unknown>, prefix = ''): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as Record<string, unknown>, `${prefix}${key}.`)
      : [[`${prefix}${key}`, value]],
  )
}

/** Reads the file. Throws ConfigError for one that is not TOML or has an unknown setting. */
export function readConfigFile(path: string): Values {
  let parsed: Record<string, unknown>
  try {
    parsed = Bun.TOML.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const values = new Map<string, unknown>()
  for (const [name, value] of flatten(parsed)) {
    if (findSetting(name) === null)
      throw new ConfigError(
        `${path}: there is no setting ${name}; did you mean ${nearest(name, SETTING_NAMES)}?`,
      )
    values.set(name, parse(name as SettingName, value, path))
  }
  return values
}

/** The settings that flags of the command line can set. */
export type ConfigFlags = { data?: string; listen?: string; site_url?: string }

export class ConfigValues {
  constructor(
    private readonly flags: ConfigFlags,
    private readonly environment: Values,
    private readonly file: Values,
    /** Relative paths in the file are resolved against its folder. */
    private readonly filePath: string,
  ) {}

  get<N extends SettingName>(name: N): SettingValues[N] {
    const values = this.#valuesWith(name)
    // `parseSetting` checked every value in the maps against the schema of its setting.
    return (values ? values.get(name) : SETTINGS[name].default) as SettingValues[N]
  }

  resolvePath(path: string): string {
    return isAbsolute(path) ? path : resolve(this.filePath, '..', path)
  }

  /** Every setting for administrators. Of a secret it tells only whether it is set. */
  list(): ConfiguredSetting[] {
    return SETTING_NAMES.map((name) => {
      const flag = this.#flagOf(name)
      const value: unknown = flag ?? this.get(name)
      const isSet = value !== null && !(Array.isArray(value) && value.length === 0)
      return {
        name,
        help: SETTINGS[name].help,
        value: SETTINGS[name].isSecret && isSet ? 'set' : value,
        source: flag === undefined ? this.#sourceOf(name) : 'flag',
      }
    })
  }

  #flagOf(name: SettingName): string | undefined {
    return name === 'data' || name === 'listen' || name === 'site_url'
      ? this.flags[name]
      : undefined
  }

  /** A setting that is `none` (null) counts as set, so `has` decides and not the value. */
  #valuesWith(name: SettingName): Values | undefined {
    return [this.environment, this.file].find((values) => values.has(name))
  }

  #sourceOf(name: SettingName): ConfiguredSetting['source'] {
    if (this.environment.has(name)) return 'environment'
    return this.file.has(name) ? 'file' : 'default'
  }
}
