/** Structured logs: one JSON object a line on standard error, or plain lines when a person watches. */
import { systemClock, timestamp, type Clock } from './time.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Values of fields with these names never reach a log. */
const SECRET = /^(authorization|cookie|set-cookie|password|secret|token|code)$/i

const plain = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (SECRET.test(key)) return [key, '[redacted]']
      return [key, value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value]
    }),
  )

export function createLog(options: { level?: LogLevel; json?: boolean; clock?: Clock; write?: (line: string) => void } = {}): Log {
  const least = ORDER[options.level ?? 'info']
  const clock = options.clock ?? systemClock
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const at = (level: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (ORDER[level] < least) return
    const time = timestamp(clock.now())
    const safe = plain(fields)
    if (options.json ?? true) write(`${JSON.stringify({ time, level, message, ...safe })}\n`)
    else {
      const rest = Object.entries(safe).map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      write(`${time} ${level} ${message}${rest.join('')}\n`)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
