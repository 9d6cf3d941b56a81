/**
 * Structured logs: one JSON object a line on standard error, or plain lines when a person watches.
 */
import { writeSync } from 'node:fs'
import { systemClock, timestamp, type Clock } from './time.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Values of fields with these names never reach a log. */
const SECRET = /^(authorization|cookie|set-cookie|password|secret|token|code)$/i

const secretNames = new Map<string, boolean>()

/** Names of fields are few and come again with every line. */
function isSecret(name: string): boolean {
  let known = secretNames.get(name)
  if (known === undefined) secretNames.set(name, (known = SECRET.test(name)))
  return known
}

function addFields(entry: LogFields, fields: LogFields): LogFields {
  for (const name in fields) {
    const value = fields[name]
    entry[name] = isSecret(name)
      ? '[redacted]'
      : value instanceof Error
        ? { name: value.name, message: value.message, stack: value.stack }
        : value
  }
  return entry
}

/**
 * Writes lines to standard error together, once for each turn of the event loop: under load that is
 * one system call for many requests. What waits is written when the process ends.
 */
function standardError(): (line: string) => void {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text !== '') writeWhole(text)
  }
  process.on('exit', flush)
  return (line) => {
    if (waiting === '') setImmediate(flush)
    waiting += line
  }
}

/**
 * A pipe whose reader is slow takes a part at a time; what it does not take now is left to the
 * stream, which waits for it.
 */
function writeWhole(text: string): void {
  let rest = Buffer.from(text)
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(2, rest))
  } catch {
    process.stderr.write(rest)
  }
}

let shared: ((line: string) => void) | null = null

export function createLog(
  options: { level?: LogLevel; json?: boolean; clock?: Clock; write?: (line: string) => void } = {},
): Log {
  const least = ORDER[options.level ?? 'info']
  const clock = options.clock ?? systemClock
  const write = options.write ?? (shared ??= standardError())
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (ORDER[level] < least) return
      const time = timestamp(clock.now())
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
