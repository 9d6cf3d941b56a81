/** Results as text for people and as a table for the guide. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../support/forge.ts'
import type { Result } from './race.ts'

const seconds = (value: number): string =>
  value < 0.0995 ? `${(value * 1000).toFixed(value < 0.00995 ? 1 : 0)} ms` : `${value.toFixed(2)} s`

const ratioOf = (ours: number, theirs: number): string =>
  theirs > 0 ? (ours / theirs).toFixed(2) : '–'

/** One line as soon as a scenario is done. */
export const lineOf = ({ scenario, repository, hearth, git, memory }: Result): string =>
  `${repository.padEnd(10)} ${scenario.padEnd(30)} wall ${seconds(hearth.wall).padStart(8)} / ${seconds(git.wall).padStart(8)} = ${ratioOf(hearth.wall, git.wall)}   ` +
  `cpu ${seconds(hearth.cpu).padStart(8)} / ${seconds(git.cpu).padStart(8)} = ${ratioOf(hearth.cpu, git.cpu)}` +
  (memory === null
    ? ''
    : `   memory ${memory.hearth.toFixed(0).padStart(4)} / ${memory.git.toFixed(0).padStart(4)} MiB = ${ratioOf(memory.hearth, memory.git)}`)

/** What a column is about. */
export type Column = { readonly name: string; readonly objects: number; readonly bytes: number }

/**
 * A row for each scenario, and for each repository the ratios of waiting, of the server's processor
 * time and of its memory.
 */
export function tableOf(results: readonly Result[], columns: readonly Column[]): string {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))]
  const cell = (scenario: string, name: string): string => {
    const one = results.find((result) => result.scenario === scenario && result.repository === name)
    if (!one) return ''
    const { hearth, git, memory } = one
    const held = memory === null ? [] : [ratioOf(memory.hearth, memory.git)]
    return `${[ratioOf(hearth.wall, git.wall), ratioOf(hearth.cpu, git.cpu), ...held].join(' / ')} (${seconds(hearth.wall)})`
  }
  const head = columns.map(
    ({ name, objects, bytes }) =>
      `${name}: ${objects.toLocaleString('en')} objects, ${(bytes / 1e6).toFixed(0)} MB`,
  )
  const rows = scenarios.map(
    (scenario) =>
      `| ${scenario} | ${columns.map(({ name }) => cell(scenario, name)).join(' | ')} |`,
  )
  return [`| | ${head.join(' | ')} |`, `| --- |${' ---: |'.repeat(columns.length)}`, ...rows].join(
    '\n',
  )
}

/** Puts text between the marks of the guide's page. Throws an Error when it has none. */
export function writeGuide(text: string, mark = 'bench-git'): void {
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const path = join(ROOT, 'assets/docs/performance.md')
  const page = readFileSync(path, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${path} has no ${begin} and ${end}`)
  writeFileSync(path, `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`)
}
