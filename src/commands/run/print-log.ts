/** Prints the steps and the log of a job to a terminal. */
import type { LogSink, StepState } from '#features/runners/index.ts'

const MARKS: Readonly<Record<string, string>> = {
  '##[error]': 'error: ',
  '##[warning]': 'warning: ',
  '##[notice]': 'notice: ',
  '##[debug]': 'debug: ',
  '##[group]': '',
}

/** A line of a log as a terminal shows it; null for a line without text of its own. */
export function printedLine(line: string): string | null {
  if (line === '##[endgroup]') return null
  const mark = Object.keys(MARKS).find((one) => line.startsWith(one))
  return mark === undefined ? line : `${MARKS[mark]}${line.slice(mark.length)}`
}

export class PrintedLog implements LogSink {
  lines = 0
  bytes = 0

  constructor(private readonly print: (text: string) => void) {}

  write(data: Uint8Array): void {
    this.bytes += data.length
    const lines = Buffer.from(data).toString('utf8').split('\n').slice(0, -1)
    this.lines += lines.length
    const shown = lines.map(printedLine).filter((line) => line !== null)
    if (shown.length > 0) this.print(shown.map((line) => `    ${line}\n`).join(''))
  }

  step({ name, status, conclusion, started_at, finished_at }: StepState): void {
    if (status === 'in_progress') return this.print(`  ${name}\n`)
    if (conclusion === 'skipped') return this.print(`  ${name}: skipped\n`)
    const seconds = ((finished_at ?? 0) - (started_at ?? 0)) / 1000
    if (conclusion !== 'success')
      this.print(`  ${name}: ${conclusion} after ${seconds.toFixed(1)} s\n`)
  }
}
