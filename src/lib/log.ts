/** Structured logs on standard error: one JSON object a line, or plain lines for people. */
import { writeSync } from 'node:fs'
import { systemClock, timestamp, type Clock } from './time.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

const SEVERITY: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Values of fields with these names, in any case, are never logged. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'code',
])

function addFields(entry: LogFields, fields: LogFields): LogFields {
  for (const name in fields) {
    const value = fields[name]
    entry[name] = SECRET_FIELDS.has(name.toLowerCase())
      ? '[redacted]'
      : value instanceof Error
        ? { name: value.name, message: value.message, stack: value.stack }
        : value
  }
  return entry
}

/**
 * Standard error, written once for each turn of the event loop. Under load that is one system call
 * for the lines of many requests. The rest is written when the process ends.
 */
class StandardError {
  #pending = ''
  #hasExitHandler = false

  readonly write = (line: string): void => {
    if (!this.#hasExitHandler) process.on('exit', this.#flush)
    this.#hasExitHandler = true
    if (this.#pending === '') setImmediate(this.#flush)
    this.#pending += line
  }

  readonly #flush = (): void => {
    const text = this.#pending
    this.#pending = ''
    if (text !== '') writeAll(text)
  }
}

/** The process has one standard error, which all its logs share. */
const standardError = new StandardError()

/** A pipe with a slow reader accepts a part only. The stream writes the rest and waits for it. */
function writeAll(text: string): void {
  let rest = Buffer.from(text)
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(2, rest))
  } catch {
    process.stderr.write(rest)
  }
}

/** The time of a line. Under load many lines have the same one, so the text is written once. */
function timestampOf(clock: Clock): () => string {
  let [at, text] = [Number.NaN, '']
  return () => {
    const now = clock.now()
    if (now !== at) [at, text] = [now, timestamp(now)]
    return text
  }
}

export function createLog(
  options: { level?: LogLevel; json?: boolean; clock?: Clock; write?: (line: string) => void } = {},
): Log {
  const minSeverity = SEVERITY[options.level ?? 'info']
  const clock = options.clock ?? systemClock
  const write = options.write ?? standardError.write
  const timeNow = timestampOf(clock)
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (SEVERITY[level] < minSeverity) return
      const time = timeNow()
      if (options.json ?? true)
        write(`${JSON.stringify(addFields({ time, level, message }, fields))}\n`)
      else {
        const rest = Object.entries(addFields({}, fields)).map(
          ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        write(`${time} ${level} ${message}${rest.join('')}\n`)
      }
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
