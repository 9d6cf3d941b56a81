/** What the commands share: their output, and the signals that stop them. */
import { CommandError } from './command.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n} ${n === 1 ? one : many}`

/** A progress line that is overwritten; nothing without a terminal. */
export function progressLine<T>(textOf: (progress: T) => string): {
  tell: (progress: T) => void
  end: () => void
} {
  if (!process.stderr.isTTY) return { tell: () => {}, end: () => {} }
  return {
    tell: (progress) => void process.stderr.write(`\r\x1b[K${textOf(progress)}`),
    end: () => void process.stderr.write('\r\x1b[K'),
  }
}

/** Aborts on SIGTERM and SIGINT with a CommandError; `remedy` ends its message. */
export function stoppable(remedy = ''): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => stopping.abort(new CommandError(`stopped by ${name}${remedy}`)))
  return stopping.signal
}
