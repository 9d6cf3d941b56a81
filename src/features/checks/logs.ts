/**
 * Logs of commands: one file each below the data directory, written while the command runs, and
 * read at the same time.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { endOf } from '#runner'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const TAIL_CHARACTERS = 4_096

export type LogName = { readonly repo_id: string; readonly run_id: string; readonly id: string }

const folderOf = (hearth: Hearth, repo_id: string): string =>
  join(hearth.settings.data, 'logs', 'checks', repo_id)
const pathOf = (hearth: Hearth, { repo_id, run_id, id }: LogName): string =>
  join(folderOf(hearth, repo_id), run_id, `${id}.log`)

/** Listeners for changes of a run, by the id of the run. */
const listeners = service('check listeners', () => new Map<string, Set<() => void>>())

/**
 * Calls the listener when a run changes: its log grew, or a result was stored. Returns the function
 * that unsubscribes.
 */
export function onRunChange(hearth: Hearth, run_id: string, listener: () => void): () => void {
  const all = listeners(hearth)
  const set = all.get(run_id) ?? new Set()
  all.set(run_id, set.add(listener))
  return () => {
    set.delete(listener)
    if (set.size === 0 && all.get(run_id) === set) all.delete(run_id)
  }
}

export function notifyRunChange(hearth: Hearth, run_id: string): void {
  for (const listener of [...(listeners(hearth).get(run_id) ?? [])]) listener()
}

export type LogWriter = {
  write(text: string): void /** The last characters of all that was written. */
  tail(): string
  bytes(): number
  close(): void
}

/** Creates the log of a command, or truncates it. */
export function openLog(hearth: Hearth, name: LogName): LogWriter {
  const path = pathOf(hearth, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'w', 0o600)
  let tail = ''
  let bytes = 0
  return {
    write(text) {
      const data = Buffer.from(text, 'utf8')
      for (let at = 0; at < data.length; ) at += writeSync(file, data, at)
      bytes += data.length
      tail = endOf(tail + text, TAIL_CHARACTERS)
      notifyRunChange(hearth, name.run_id)
    },
    tail: () => tail,
    bytes: () => bytes,
    close: () => closeSync(file),
  }
}

/**
 * A part of a log from an offset on, at most `most` bytes; null when there is no such log.
 * Characters are never split.
 */
export function readLog(
  hearth: Hearth,
  name: LogName,
  from: number,
  most: number,
): { text: string; next: number; size: number } | null {
  const found = readBytes(hearth, name, from, most)
  if (!found) return null
  const whole = found.bytes.subarray(0, wholeLength(found.bytes))
  return {
    text: Buffer.from(whole).toString('utf8'),
    next: found.start + whole.length,
    size: found.size,
  }
}

function readBytes(
  hearth: Hearth,
  name: LogName,
  from: number,
  most: number,
): { bytes: Uint8Array; start: number; size: number } | null {
  let file: number
  try {
    file = openSync(pathOf(hearth, name), 'r')
  } catch {
    return null
  }
  try {
    const { size } = fstatSync(file)
    const start = Math.min(from, size)
    const buffer = Buffer.alloc(Math.min(most, size - start))
    return {
      bytes: buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start)),
      start,
      size,
    }
  } finally {
    closeSync(file)
  }
}

/** The length without an incomplete character at the end (RFC 3629, section 3). */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
    if (byte < 0x80) break
  }
  return bytes.length
}

/** The offset of the last bytes of a log, at the start of a line where there is one. */
export function startOfTail(hearth: Hearth, name: LogName, most: number): number {
  const size = readLog(hearth, name, Number.MAX_SAFE_INTEGER, 0)?.size ?? 0
  const start = Math.max(0, size - most)
  if (start === 0) return 0
  const line = (readBytes(hearth, name, start, most)?.bytes.indexOf(0x0a) ?? -1) + 1
  return start + line
}

/** The end of the log of a running command. */
export const tailOf = (hearth: Hearth, name: LogName): string =>
  endOf(
    readLog(hearth, name, startOfTail(hearth, name, TAIL_CHARACTERS), TAIL_CHARACTERS)?.text ?? '',
    TAIL_CHARACTERS,
  )

export const removeLog = (hearth: Hearth, name: LogName): void =>
  rmSync(pathOf(hearth, name), { force: true })

export const removeLogsOfRepo = (hearth: Hearth, repo_id: string): Promise<void> =>
  rm(folderOf(hearth, repo_id), { recursive: true, force: true })
