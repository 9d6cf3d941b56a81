/**
 * Writes the tables of settings and metrics into the guide, from the code that reads and shows
 * them: `bun scripts/settings.ts`. A test holds the guide equal.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gauges, type Gauge } from '#core/gauges.ts'
import { choicesOf, type Setting } from '#core/setting.ts'
import { SETTINGS } from '#core/setting-list.ts'
import { features } from '#features/index.ts'
import { METRICS } from '#http/metrics.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function sizeText(bytes: number): string {
  if (bytes % 1024 ** 3 === 0) return `${bytes / 1024 ** 3}G`
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2}M` : `${bytes / 1_000_000}MB`
}

function defaultText({ default: value, defaultText, unit }: Setting): string {
  if (defaultText !== null) return defaultText
  if (value === null || (Array.isArray(value) && value.length === 0)) return ''
  if (unit === 'bytes' && typeof value === 'number') return `\`${sizeText(value)}\``
  return `\`${Array.isArray(value) ? value.join(', ') : String(value)}\``
}

export function settingsTable(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const choices = choicesOf(setting)
    const meaning = `${cell(setting.help)}${choices ? ` (${choices.join(', ')})` : ''}`
    return `| \`${name}\`${setting.changeable ? ' *' : ''} | ${defaultText(setting)} | ${meaning} |`
  })
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The metrics of the HTTP server and core, and the gauges of features. */
export function metricsTable(): string {
  const added = features.flatMap(({ extensions = [] }) =>
    extensions.filter(({ point }) => point === gauges.name).map(({ value }) => value as Gauge),
  )
  const all = [
    ...Object.entries(METRICS).map(([name, [kind, help]]) => [name, kind, help] as const),
    ...added.map(({ name, help }) => [name, 'gauge', help] as const),
  ]
  return [
    '| Name | Kind | Meaning |',
    '| --- | --- | --- |',
    ...all.map(([name, kind, help]) => `| \`hearth_${name}\` | ${kind} | ${cell(help)} |`),
  ].join('\n')
}

/** The pages of the guide that hold a table, with how it is made. */
export const TABLES = [
  { name: 'settings', file: 'assets/docs/configure.md', table: settingsTable },
  { name: 'metrics', file: 'assets/docs/operate.md', table: metricsTable },
] as const

/** A text with a table put between its marks. Throws an Error when a mark is missing. */
export function withTable(text: string, name: string, table: string): string {
  const begin = `<!-- ${name}: written by scripts/settings.ts -->\n`
  const [from, to] = [text.indexOf(begin), text.indexOf(`<!-- end of ${name} -->\n`)]
  if (from < 0 || to < from) throw new Error(`there is no place for the table of ${name}`)
  return `${text.slice(0, from + begin.length)}${table}\n${text.slice(to)}`
}

if (import.meta.main) {
  for (const { name, file, table } of TABLES) {
    const path = join(import.meta.dir, '..', file)
    writeFileSync(path, withTable(readFileSync(path, 'utf8'), name, table()))
  }
}
