/**
 * The settings that may change while the forge runs: what they take, where they stand, and bringing
 * what administrators chose to bear. What opens ports, names secrets or says who is trusted stays
 * with whoever has the machine.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Settings, SignUpMode } from '#core/settings.ts'
import { invalid } from '#lib/errors.ts'
import { duration } from '#lib/time.ts'
import { listSettings } from './store.ts'

/** The same record, as the one place that changes it sees it. */
type Open<T> = { -readonly [K in keyof T]: T[K] }

type Changeable = {
  /** What an administrator may write, in words. */
  readonly takes: string
  /** The value as it is kept and shown; undefined for what it does not take. */
  readonly check: (given: unknown) => unknown
  readonly read: (settings: Settings) => unknown
  /** Puts it in place. Parts are replaced and not changed, since others may hold them. */
  readonly apply: (settings: Open<Settings>, value: never) => void
}

const define = <T>(definition: {
  takes: string
  check: (given: unknown) => T | undefined
  read: (settings: Settings) => T
  apply: (settings: Open<Settings>, value: T) => void
}): Changeable => definition as unknown as Changeable

const whole = (least: number, most: number) => ({
  takes: `a whole number from ${least} to ${most}`,
  check: (given: unknown): number | undefined =>
    typeof given === 'number' && Number.isSafeInteger(given) && given >= least && given <= most
      ? given
      : undefined,
})
const flag = {
  takes: 'true or false',
  check: (given: unknown): boolean | undefined => (typeof given === 'boolean' ? given : undefined),
}
const wholeOrNone = (least: number, most: number) => {
  const number = whole(least, most)
  return {
    takes: `${number.takes}, or "none"`,
    check: (given: unknown): number | 'none' | undefined =>
      given === 'none' ? 'none' : number.check(given),
  }
}
const none = <T>(value: T | 'none'): T | null => (value === 'none' ? null : value)

const SIGN_UP: readonly SignUpMode[] = ['open', 'invite', 'sso_only', 'closed']

const spanText = (ms: number | null): string => {
  if (ms === null) return 'none'
  const minutes = Math.round(ms / 60_000)
  return minutes % 1440 === 0
    ? `${minutes / 1440}d`
    : minutes % 60 === 0
      ? `${minutes / 60}h`
      : `${minutes}m`
}
const span = (part: 'every_ms' | 'verify_every_ms') =>
  define<string>({
    takes: 'a span such as 24h or 7d, or "none"',
    check: (given) =>
      given === 'none' || (typeof given === 'string' && /^[1-9]\d{0,4}[mhd]$/.test(given))
        ? given
        : undefined,
    read: ({ backups }) => spanText(backups[part]),
    apply: (settings, value) =>
      void (settings.backups = {
        ...settings.backups,
        [part]: value === 'none' ? null : duration(value),
      }),
  })
const keep = (part: 'last' | 'daily' | 'weekly' | 'monthly') =>
  define<number>({
    ...whole(part === 'last' ? 1 : 0, 1000),
    read: ({ backups }) => backups.keep[part],
    apply: (settings, value) =>
      void (settings.backups = {
        ...settings.backups,
        keep: { ...settings.backups.keep, [part]: value },
      }),
  })
const archive = (part: 'max_files' | 'max_bytes') =>
  define<number | 'none'>({
    ...wholeOrNone(1, 2 ** 45),
    read: ({ archives }) => archives[part] ?? 'none',
    apply: (settings, value) =>
      void (settings.archives = { ...settings.archives, [part]: none(value) }),
  })
const slow = (part: 'query_ms' | 'git_ms') =>
  define<number>({
    ...whole(0, 3_600_000),
    read: (settings) => settings.slow[part],
    apply: (settings, value) => void (settings.slow = { ...settings.slow, [part]: value }),
  })
const limit = (part: 'rate' | 'proof_of_work') =>
  define<boolean>({
    ...flag,
    read: ({ limits }) => limits[part],
    apply: (settings, value) => void (settings.limits = { ...settings.limits, [part]: value }),
  })

export const CHANGEABLE: Readonly<Record<string, Changeable>> = {
  'accounts.sign_up': define<SignUpMode>({
    takes: `one of ${SIGN_UP.join(', ')}`,
    check: (given) => SIGN_UP.find((mode) => mode === given),
    read: ({ sign_up }) => sign_up,
    apply: (settings, value) => void (settings.sign_up = value),
  }),
  'repos.private_by_default': define<boolean>({
    ...flag,
    read: (settings) => settings.private_by_default,
    apply: (settings, value) => void (settings.private_by_default = value),
  }),
  'workspaces.per_person': define<number>({
    ...whole(1, 10_000),
    read: (settings) => settings.workspaces_per_person,
    apply: (settings, value) => void (settings.workspaces_per_person = value),
  }),
  'audit.ip': define<boolean>({
    ...flag,
    read: ({ audit }) => audit.ip,
    apply: (settings, value) => void (settings.audit = { ...settings.audit, ip: value }),
  }),
  'audit.keep_days': define<number>({
    ...whole(30, 36_500),
    read: ({ audit }) => audit.keep_days,
    apply: (settings, value) => void (settings.audit = { ...settings.audit, keep_days: value }),
  }),
  'checks.keep_days': define<number>({
    ...whole(1, 36_500),
    read: ({ checks }) => checks.keep_days,
    apply: (settings, value) => void (settings.checks = { ...settings.checks, keep_days: value }),
  }),
  'archives.max_files': archive('max_files'),
  'archives.max_bytes': archive('max_bytes'),
  'releases.max_asset_bytes': define<number>({
    ...whole(1, 2 ** 45),
    read: ({ releases }) => releases.max_asset_bytes,
    apply: (settings, value) =>
      void (settings.releases = { ...settings.releases, max_asset_bytes: value }),
  }),
  'git.places_per_caller': define<number>({
    ...whole(1, 10_000),
    read: ({ git }) => git.places_per_caller,
    apply: (settings, value) => void (settings.git = { ...settings.git, places_per_caller: value }),
  }),
  'backups.every': span('every_ms'),
  'backups.verify_every': span('verify_every_ms'),
  'backups.keep_last': keep('last'),
  'backups.keep_daily': keep('daily'),
  'backups.keep_weekly': keep('weekly'),
  'backups.keep_monthly': keep('monthly'),
  'limits.rate': limit('rate'),
  'limits.proof_of_work': limit('proof_of_work'),
  'limits.disk_reserve': define<number>({
    ...whole(0, 2 ** 45),
    read: ({ limits }) => limits.disk_reserve,
    apply: (settings, value) =>
      void (settings.limits = { ...settings.limits, disk_reserve: value }),
  }),
  log_slow_query_ms: slow('query_ms'),
  log_slow_git_ms: slow('git_ms'),
}

/**
 * The value as it will be kept. Gives 422 for a name that cannot be changed here and for a value
 * that it does not take.
 */
export function checked(name: string, given: unknown): unknown {
  const one = Object.hasOwn(CHANGEABLE, name) ? CHANGEABLE[name] : undefined
  const field = `settings.${name}`.slice(0, 200)
  if (!one)
    throw invalid(
      field,
      `${name.slice(0, 100)} cannot be changed here; these can: ${Object.keys(CHANGEABLE).join(', ')}`,
    )
  const value = one.check(given)
  if (value === undefined)
    throw invalid(field, `${name} takes ${one.takes}, or null for what the configuration says`)
  return value
}

/** What flags, environment and file say, before anything was changed here. */
const configured = new WeakMap<Settings, Settings>()

/**
 * Makes the settings what the configuration says with what is chosen here on top. Called when a
 * forge is opened and after each change.
 */
export function applySettings({
  settings,
  db,
  log,
}: Pick<Hearth, 'settings' | 'db' | 'log'>): void {
  let before = configured.get(settings)
  if (!before) configured.set(settings, (before = { ...settings }))
  const open = settings as Open<Settings>
  Object.assign(open, before)
  for (const { name, value } of listSettings(db)) {
    const one = CHANGEABLE[name]
    const parsed = one?.check(JSON.parse(value))
    // Written by another release: left alone, and what the configuration says holds.
    if (!one || parsed === undefined)
      log.warn('a setting that was chosen on the site is not known', { name })
    else one.apply(open, parsed as never)
  }
}
