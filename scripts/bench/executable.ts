/** Says what the bytes of the executable are. `bun scripts/bench/executable.ts [--executable FILE]`. */
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { partsOf } from '../support/executable-parts.ts'
import { runScript, type Option } from '../support/options.ts'
import { table } from './forge/table.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  largest: { kind: 'count', default: '12', help: 'How many of the largest parts are named.' },
} as const satisfies Record<string, Option>

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)

await runScript('bun scripts/bench/executable.ts [options]', OPTIONS, (options) => {
  const { total, runtime, bytecode, list } = partsOf(requireBuilt(options.executable))
  const sum = (of: (part: (typeof list)[number]) => number): number =>
    list.reduce((all, part) => all + of(part), 0)
  const isCode = (name: string): boolean => name.endsWith('.js') || name.endsWith('/hearth')
  const rows = [
    ['everything', mb(total)],
    ['Bun', mb(runtime)],
    ['bytecode, of Bun too', mb(bytecode)],
    ['minified source', mb(sum(({ name, source }) => (isCode(name) ? source : 0)))],
    ['files', mb(sum(({ name, source }) => (isCode(name) ? 0 : source)))],
    ['lines of the source, compressed', mb(sum(({ map }) => map))],
  ]
  const largest = list
    .toSorted((a, b) => b.source + b.map - a.source - a.map)
    .slice(0, Number(options.largest))
    .map(({ name, source, map }) => [name, mb(source), mb(map)])
  console.log(`Megabytes\n${table(['what', 'MB'], rows)}\n`)
  console.log(table(['part', 'source', 'lines'], largest))
  return Promise.resolve(0)
})
