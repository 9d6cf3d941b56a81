/**
 * One declaration per setting. The configuration (`config.ts`), the page `/admin/settings`, the
 * operation `update_site_settings` and the table in the documentation all derive from it. The
 * declarations are in `setting-list.ts`.
 *
 * A setting has a schema for its value. Text from a variable is converted to the type of the schema
 * and then validated by it.
 */
import { duration } from '#lib/time.ts'
import { isValid, Nullable, OneOf, Type, type Static, type TSchema } from './schema.ts'
import type { Settings } from './settings.ts'

/** How a value is written: a size such as `512M`, a span such as `24h`, or a plain number. */
export type SettingUnit = 'bytes' | 'span' | 'days' | 'milliseconds'

/** The path of a value of type `V` in a record, such as `['audit', 'keep_days']`. */
type PathTo<T, V> = {
  [K in keyof T & string]: [T[K], V] extends [V, T[K]]
    ? readonly [K]
    : T[K] extends readonly unknown[]
      ? never
      : T[K] extends object
        ? readonly [K, ...PathTo<T[K], V>]
        : never
}[keyof T & string]

/** How administrators may change a setting while the forge runs. */
export type Changeable = {
  /** The values that they may choose; narrower than the schema of the setting. */
  readonly schema: TSchema
  /** Where the value is in `Settings`. */
  readonly path: readonly string[]
}

export type Setting<T extends TSchema = TSchema> = {
  /** The values that the configuration takes. A number below `minimum` is raised to it. */
  readonly schema: T
  readonly default: Static<T>
  /** The default in words, when it depends on the machine. */
  readonly defaultText: string | null
  readonly help: string
  readonly unit: SettingUnit | null
  /** Whether `none` is a value; it is null in `Settings`. */
  readonly acceptsNone: boolean
  /** Whether pages and operations show only that it is set. */
  readonly isSecret: boolean
  /** Null when it changes with a restart only. */
  readonly changeable: Changeable | null
}

type Options = { readonly help: string }
type Range = { readonly minimum: number; readonly maximum: number }

const setting = <T extends TSchema>(
  schema: T,
  defaultValue: Static<T>,
  options: Options & Partial<Omit<Setting<T>, 'schema' | 'default' | 'help'>>,
): Setting<T> => ({
  schema,
  default: defaultValue,
  defaultText: null,
  unit: null,
  acceptsNone: false,
  isSecret: false,
  changeable: null,
  ...options,
})

const Text = Type.String({ minLength: 1 })
const Texts = Type.Array(Type.String())
const Tables = Type.Array(Type.Unknown())
const Span = Type.String({ pattern: '^[1-9][0-9]{0,4}[mhd]$' })

export const text = (options: Options & { default: string }): Setting<typeof Text> =>
  setting(Text, options.default, { help: options.help })

const OptionalText = Nullable(Text)
export const optionalText = ({ help, secret = false }: Options & { secret?: boolean }) =>
  setting(OptionalText, null, { help, isSecret: secret })

export const choice = <const W extends readonly string[]>(
  words: W,
  options: Options & { default: W[number]; changeable?: { at: PathTo<Settings, W[number]> } },
) => {
  const schema = OneOf(words)
  return setting(schema, options.default as Static<typeof schema>, {
    help: options.help,
    changeable: options.changeable ? { schema, path: options.changeable.at } : null,
  })
}

const Flag = Type.Boolean()
export const flag = (
  options: Options & { default: boolean; changeable?: { at: PathTo<Settings, boolean> } },
): Setting<typeof Flag> =>
  setting(Flag, options.default, {
    help: options.help,
    changeable: options.changeable ? { schema: Flag, path: options.changeable.at } : null,
  })

const OptionalFlag = Nullable(Flag)
export const optionalFlag = ({ help }: Options) => setting(OptionalFlag, null, { help })

type NumberOptions<V> = Options & {
  default: V
  defaultText?: string
  /** Lower values of the configuration are raised to it; 0 unless given. */
  minimum?: number
  unit?: SettingUnit
  changeable?: Range & { at: PathTo<Settings, V> }
}

export const number = (options: NumberOptions<number>) =>
  setting(Type.Integer({ minimum: options.minimum ?? 0 }), options.default, {
    help: options.help,
    defaultText: options.defaultText ?? null,
    unit: options.unit ?? null,
    changeable: changeableNumber(options.changeable),
  })

/** A number that `none` lifts. */
export const limit = (options: NumberOptions<number | null>) =>
  setting(Nullable(Type.Integer({ minimum: options.minimum ?? 0 })), options.default, {
    help: options.help,
    unit: options.unit ?? null,
    acceptsNone: true,
    changeable: changeableNumber(options.changeable),
  })

const changeableNumber = (
  range: (Range & { at: readonly string[] }) | undefined,
): Changeable | null =>
  range
    ? {
        schema: Type.Integer({ minimum: range.minimum, maximum: range.maximum }),
        path: range.at,
      }
    : null

/** A span such as `24h`, never unless set. It is milliseconds in `Settings`. */
const OptionalSpan = Nullable(Span)
export const optionalSpan = (options: Options & { at: PathTo<Settings, number | null> }) =>
  setting(OptionalSpan, null, {
    help: options.help,
    unit: 'span',
    acceptsNone: true,
    changeable: { schema: Span, path: options.at },
  })

export const list = ({ help }: Options) => setting(Texts, [], { help })

/** Tables of the file, or the same as JSON in a variable. They may hold secrets. */
export const tables = ({ help }: Options) => setting(Tables, [], { help, isSecret: true })

/** The variable of a setting: `HEARTH_SECTION_KEY`. */
export const variableOf = (name: string): string =>
  `HEARTH_${name.replaceAll('.', '_').toUpperCase()}`

/** What a schema accepts, as the properties of JSON Schema that settings use. */
type Shape = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: { readonly type?: string }
  readonly minimum?: number
  readonly maximum?: number
}

/** The shape of a value. Of a nullable schema it is the shape of the value that is not null. */
const shapeOf = (schema: TSchema): Shape => {
  const { anyOf } = schema as { anyOf?: readonly TSchema[] }
  return (anyOf?.[0] ?? schema) as Shape
}

/** The texts of a choice; null for other settings. */
export const choicesOf = ({ schema }: Pick<Setting, 'schema'>): readonly string[] | null =>
  shapeOf(schema).enum ?? null

/** A value of the configuration is not one that the setting takes. The message says what is. */
export class SettingError extends Error {}

const SIZE_UNITS = ['', 'k', 'm', 'g']

/** `24M` and `24MiB` are multiples of 1024, `24MB` is 24 million bytes (IEC 80000-13). */
function parseSize(value: unknown): number | null {
  const match = /^(\d+)\s*(k|m|g)?(i?b)?$/i.exec(String(value))
  if (!match) return null
  const [, digits, unit = '', suffix = ''] = match
  const base = suffix.toLowerCase() === 'b' ? 1000 : 1024
  return Number(digits) * base ** SIZE_UNITS.indexOf(unit.toLowerCase())
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/** The items of a list that is text: separated by commas, or for tables in JSON. */
function parseItems(items: Shape['items'], value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (items?.type === 'string')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

/** A value of the file, or the text of a variable, in the type of the schema. */
function convert(shape: Shape, unit: SettingUnit | null, value: unknown): unknown {
  switch (shape.type) {
    case 'boolean':
      return BOOLEANS[String(value)]
    case 'integer': {
      const number = unit === 'bytes' ? parseSize(value) : value === '' ? Number.NaN : Number(value)
      const isWhole = Number.isSafeInteger(number) && number !== null && number >= 0
      return isWhole ? Math.max(shape.minimum ?? 0, number) : null
    }
    case 'array':
      return parseItems(shape.items, value)
    default:
      return value
  }
}

/** What the configuration may say, in words. */
function describeConfigured(shape: Shape, { unit }: Setting): string {
  if (unit === 'span') return 'must be a span such as 24h or 7d, or none'
  if (unit === 'bytes') return 'must be a size such as 512M'
  if (shape.enum) return `must be one of ${shape.enum.join(', ')}`
  if (shape.type === 'boolean') return 'must be true or false'
  if (shape.type === 'integer') return 'must be a whole number'
  if (shape.type === 'array')
    return shape.items?.type === 'string' ? 'must be a list of texts' : 'must be a list of tables'
  return 'must be text'
}

/** The value of a setting from the file or a variable. Throws SettingError. */
export function parseSetting(setting: Setting, value: unknown): unknown {
  if (setting.acceptsNone && value === 'none') return null
  const shape = shapeOf(setting.schema)
  const converted = convert(shape, setting.unit, value)
  // Null is the default of optional settings. Only `none` writes it.
  if (converted !== null && converted !== undefined && isValid(setting.schema, converted))
    return converted
  throw new SettingError(describeConfigured(shape, setting))
}

/** What administrators may choose, in words; null for a setting that they cannot change. */
export function describeChoices({ changeable, acceptsNone, unit }: Setting): string | null {
  if (changeable === null) return null
  const shape = shapeOf(changeable.schema)
  const values = shape.enum
    ? `one of ${shape.enum.join(', ')}`
    : shape.type === 'boolean'
      ? 'true or false'
      : unit === 'span'
        ? 'a span such as 24h or 7d'
        : `a whole number from ${shape.minimum} to ${shape.maximum}`
  return acceptsNone ? `${values}, or "none"` : values
}

/** Whether administrators may choose a value. It is written as in the configuration. */
export const isChoice = ({ changeable, acceptsNone }: Setting, value: unknown): boolean =>
  changeable !== null && ((acceptsNone && value === 'none') || isValid(changeable.schema, value))

const MINUTES_PER_HOUR = 60
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR

function spanText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes % MINUTES_PER_DAY === 0) return `${minutes / MINUTES_PER_DAY}d`
  if (minutes % MINUTES_PER_HOUR === 0) return `${minutes / MINUTES_PER_HOUR}h`
  return `${minutes}m`
}

/** The current value of a changeable setting, written as in the configuration. */
export function readChoice({ changeable, unit }: Setting, settings: Settings): unknown {
  let value: unknown = settings
  for (const key of changeable?.path ?? []) value = (value as Record<string, unknown>)[key]
  if (value === null) return 'none'
  return unit === 'span' ? spanText(value as number) : value
}

/** Settings with one value replaced. Other parts are shared with the given settings. */
export function withChoice(setting: Setting, settings: Settings, written: unknown): Settings {
  const value =
    written === 'none' && setting.acceptsNone
      ? null
      : setting.unit === 'span'
        ? duration(String(written))
        : written
  return replaceAt(settings, setting.changeable?.path ?? [], value) as Settings
}

function replaceAt(record: object, [key, ...rest]: readonly string[], value: unknown): object {
  if (key === undefined) return record
  const inner = (record as Record<string, unknown>)[key]
  return { ...record, [key]: rest.length === 0 ? value : replaceAt(inner as object, rest, value) }
}
