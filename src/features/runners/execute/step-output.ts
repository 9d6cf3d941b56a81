/**
 * The output of steps on its way to the log: whole lines, secrets hidden, commands obeyed. It works
 * on pieces of any size; single lines are looked at only where a command begins one.
 */
import type { Command, CommandReader, Masks } from '#actions'

/** Longer lines are cut, so that pages of a log stay small. */
const MAX_LINE_BYTES = 16_384
/** An unfinished line is held back up to this length. A longer one is no command. */
const MAX_HELD_BYTES = 131_072

const LINE_FEED = 0x0a
const NEW_LINE = Buffer.from('\n')
const NOTHING = Buffer.alloc(0)
const COMMAND_STARTS = ['::', '##['] as const

export type OutputOptions = {
  readonly masks: Masks
  readonly commands: CommandReader
  /** Receives whole lines. */
  readonly write: (data: Buffer) => void
  /** Obeys a command. Returns what the log shows of it; null for nothing. */
  readonly obey: (command: Command, line: string) => string | null
  /** Sees the whole lines that are no commands, with secrets hidden. */
  readonly watch?: (lines: Buffer) => void
}

export class StepOutput {
  #held: Buffer = NOTHING
  /** Whether the held bytes continue a line whose beginning was written. */
  #isInLongLine = false

  constructor(private readonly options: OutputOptions) {}

  push(chunk: Uint8Array): void {
    // A copy, because the chunk belongs to the stream.
    const data = Buffer.concat([this.#held, chunk])
    const end = data.lastIndexOf(LINE_FEED) + 1
    if (end > 0) this.#lines(data.subarray(0, end))
    this.#held = data.subarray(end)
    this.#cutLongLine()
  }

  /** The step has ended: an unfinished line is one. */
  end(): void {
    if (this.#held.length > 0) this.#lines(Buffer.concat([this.#held, NEW_LINE]))
    this.#held = NOTHING
    this.#isInLongLine = false
  }

  /** Writes the beginning of a line that is too long to hold, but cuts no secret. */
  #cutLongLine(): void {
    const { masks } = this.options
    const overlap = Math.max(0, masks.longest - 1)
    if (this.#held.length <= MAX_HELD_BYTES + overlap) return
    const cut = masks.cutAt(this.#held, this.#held.length - overlap)
    this.#emit(Buffer.concat([this.#held.subarray(0, cut), NEW_LINE]))
    this.#held = this.#held.subarray(cut)
    this.#isInLongLine = true
  }

  /** Writes whole lines and obeys the commands among them. */
  #lines(data: Buffer): void {
    let from = 0
    if (this.#isInLongLine) {
      from = data.indexOf(LINE_FEED) + 1
      this.#emit(data.subarray(0, from))
      this.#isInLongLine = false
    }
    for (let at = nextCommand(data, from); at >= 0; at = nextCommand(data, from)) {
      this.#emit(data.subarray(from, at))
      from = data.indexOf(LINE_FEED, at) + 1
      this.#command(data.subarray(at, from))
    }
    this.#emit(data.subarray(from))
  }

  #command(bytes: Buffer): void {
    const line = bytes.toString('utf8', 0, bytes.length - 1).replace(/\r$/, '')
    const command = this.options.commands.read(line)
    if (!command) return this.#emit(bytes)
    const shown = this.options.obey(command, line)
    if (shown !== null) this.#emit(Buffer.from(`${shown}\n`))
  }

  #emit(data: Buffer): void {
    if (data.length === 0) return
    const { masks, write, watch } = this.options
    const lines = masks.mask(data)
    watch?.(lines)
    write(cutLines(lines))
  }
}

/** Where the next line with a command begins; -1 when there is none. `from` begins a line. */
function nextCommand(data: Buffer, from: number): number {
  let first = -1
  for (const start of COMMAND_STARTS) {
    if (data.subarray(from, from + start.length).toString('latin1') === start) return from
    const at = data.indexOf(`\n${start}`, from) + 1
    if (at > 0 && (first < 0 || at < first)) first = at
  }
  return first
}

/** The same text with line feeds in lines that are too long. */
function cutLines(data: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let start = 0; data.length - start > MAX_LINE_BYTES; ) {
    const end = data.subarray(start, start + MAX_LINE_BYTES).lastIndexOf(LINE_FEED)
    if (end >= 0) start += end + 1
    else {
      start += MAX_LINE_BYTES
      // The first byte of a character is never 10xxxxxx (RFC 3629, section 3).
      while (((data[start] ?? 0) & 0xc0) === 0x80) start--
      parts.push(data.subarray(from, start), NEW_LINE)
      from = start
    }
  }
  return from === 0 ? data : Buffer.concat([...parts, data.subarray(from)])
}
