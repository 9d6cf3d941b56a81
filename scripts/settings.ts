/**
 * Writes the tables of settings and of numbers into the README, from the code that reads and shows
 * them: `bun scripts/settings.ts`. A test holds the README equal.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '#src/config.ts'
import { gauges, type Gauge } from '#core/gauges.ts'
import { features } from '#features/index.ts'
import { CHANGEABLE } from '#features/site/changeable.ts'
import { METRICS } from '#http/metrics.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Some defaults are made from the machine. */
const OF_THE_MACHINE: Readonly<Record<string, string>> = {
  'git.workers': 'the cores, at most 4',
  'git.concurrency': 'twice the cores',
  'git.places_per_caller': 'one less than git.concurrency',
}

function shown(name: string, value: unknown, kind: string): string {
  const own = OF_THE_MACHINE[name]
  if (own !== undefined) return own
  if (value === null || (Array.isArray(value) && value.length === 0)) return ''
  if (kind === 'bytes' && typeof value === 'number')
    return value % 1024 ** 3 === 0 ? `\`${value / 1024 ** 3}G\`` : `\`${value / 1024 ** 2}M\``
  return `\`${Array.isArray(value) ? value.join(', ') : String(value)}\``
}

export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { kind, default: value, help, words }]) => {
    const choice = words ? ` (${words.join(', ')})` : ''
    return `| \`${name}\`${Object.hasOwn(CHANGEABLE, name) ? ' *' : ''} | ${shown(name, value, kind)} | ${cell(help)}${choice} |`
  })
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Numbers of the floor, and the gauges that features add. */
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

/** The README with its tables as they are now. Gives an Error when a mark is missing. */
export function withTables(readme: string): string {
  let text = readme
  for (const [name, table] of [
    ['settings', settingsTable()],
    ['metrics', metricsTable()],
  ] as const) {
    const [begin, end] = [
      `<!-- ${name}: written by scripts/settings.ts -->\n`,
      `<!-- end of ${name} -->\n`,
    ]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`the README has no place for ${name}`)
    text = `${text.slice(0, from + begin.length)}${table}\n${text.slice(to)}`
  }
  return text
}

if (import.meta.main) {
  const path = join(import.meta.dir, '..', 'README.md')
  writeFileSync(path, withTables(readFileSync(path, 'utf8')))
}
