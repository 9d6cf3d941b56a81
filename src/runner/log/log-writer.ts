/**
 * Writes the log of a job while it runs. It takes whole lines in pieces of any size and never looks
 * at single lines beyond counting them.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { appendRecords, bytesOfRecords, STRETCH_LINES, type LogRecord } from './log-index.ts'

const LINE_FEED = 0x0a
const NOTHING = { lines: 0, bytes: 0 }

export const textPath = (path: string): string => `${path}.log`
export const indexPath = (path: string): string => `${path}.idx`

export class LogWriter {
  readonly #text: number
  readonly #index: number
  #last: LogRecord | null = null
  #lines = 0
  #bytes = 0

  /**
   * Creates the log `path` (without its ending), or empties it. With `known`, goes on behind these
   * lines and bytes of an earlier writer; what is behind them is removed.
   */
  constructor(path: string, known: { readonly lines: number; readonly bytes: number } = NOTHING) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const mode = known.bytes === 0 ? 'w' : 'a'
    this.#text = openSync(textPath(path), mode, 0o600)
    this.#index = openSync(indexPath(path), mode, 0o600)
    if (known.bytes === 0) return
    ftruncateSync(this.#index, bytesOfRecords(indexPath(path), known.lines))
    // After a crash of the machine the file may be shorter: zeros are in the place of what is lost.
    ftruncateSync(this.#text, known.bytes)
    this.#lines = known.lines
    this.#bytes = known.bytes
  }

  get lines(): number {
    return this.#lines
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Appends whole lines: `data` ends with a line feed. `at` is their time in milliseconds. */
  write(data: Uint8Array, at: number): void {
    if (data.length === 0) return
    const records: LogRecord[] = []
    const begin = (offset: number): void => {
      const last = this.#last
      if (last && last.at === at && this.#lines - last.line < STRETCH_LINES) return
      this.#last = { line: this.#lines, offset, at }
      records.push(this.#last)
    }
    for (let start = 0; start < data.length; ) {
      begin(this.#bytes + start)
      const end = data.indexOf(LINE_FEED, start)
      start = end < 0 ? data.length : end + 1
      this.#lines++
    }
    // The text is on disk before the index that refers to it.
    for (let done = 0; done < data.length; ) done += writeSync(this.#text, data, done)
    this.#bytes += data.length
    appendRecords(this.#index, records)
  }

  close(): void {
    closeSync(this.#text)
    closeSync(this.#index)
  }
}
