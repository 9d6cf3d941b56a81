// Highlighted files: cached by the id of their blob, and large ones made by a thread of their own.
import { cache, service } from '#core/service.ts'
import type { Cache } from '#lib/cache.ts'
import { escapeLines, exceedsLimits, highlightLines, normalizeLineEnds } from '../highlight.ts'
import { grammarOfPath } from './names.ts'
import { type HighlightRequest, HighlightThread } from './thread.ts'

/** A file of this many characters is highlighted at once: a thread would take about as long. */
const SMALL = 4 * 1024
/** Larger files are shown plain even by the thread. */
const FILE_LIMITS = { bytes: 1024 * 1024, lines: 20_000, lineLength: 5_000 } as const

/** A page waits this long for a file up to QUICK characters; the lines of a larger one come later. */
const PATIENCE_MS = 8
const QUICK = 24 * 1024

export interface HighlightSource {
  /** Identifies the content, such as the id of the blob. */
  readonly oid: string
  readonly path: string
  readonly text: string
}

/** `late` when the highlighting is still being made and the lines are plain until then. */
export interface FileLines {
  readonly lines: readonly string[]
  readonly late: boolean
}

export class Highlighter {
  readonly #pending = new Map<string, Promise<string[]>>()

  constructor(
    private readonly files: Cache<string[]>,
    private readonly thread = new HighlightThread(),
  ) {}

  /**
   * The lines of a file of any size. A file above SMALL is highlighted by the thread, and its lines
   * are plain when that takes longer than `patience` milliseconds. `caller` is whom the work counts
   * for: an id or a network address.
   */
  async file(
    source: HighlightSource,
    caller: string,
    patience = source.text.length <= QUICK ? PATIENCE_MS : 0,
  ): Promise<FileLines> {
    const grammar = grammarOfSource(source)
    const key = `${source.oid}:${grammar ?? ''}`
    const known = this.files.get(key)
    if (known) return { lines: known, late: false }
    if (grammar === null || grammar === 'plaintext' || source.text.length <= SMALL)
      return { lines: this.blob(source), late: false }
    const text = normalizeLineEnds(source.text)
    if (exceedsLimits(text, FILE_LIMITS)) return { lines: escapeLines(text), late: false }
    let pending = this.#pending.get(key)
    if (!pending) {
      pending = this.#highlight(key, { text, grammar }, caller)
      this.#pending.set(key, pending)
    }
    const lines = patience === 0 ? null : await within(pending, patience)
    return lines ? { lines, late: false } : { lines: escapeLines(text), late: true }
  }

  async #highlight(key: string, request: HighlightRequest, caller: string): Promise<string[]> {
    try {
      const highlighting = await this.thread.highlight(request, caller)
      const lines = 'lines' in highlighting ? highlighting.lines : escapeLines(request.text)
      // A file that takes too long stays plain, so that its next reader costs nothing.
      if (!('failure' in highlighting) || highlighting.failure === 'late')
        this.files.set(key, lines)
      return lines
    } finally {
      this.#pending.delete(key)
    }
  }

  async close(): Promise<void> {
    await this.thread.close()
  }

  /** The lines of a file up to the limits of `highlightLines`, made at once. */
  blob(source: HighlightSource): string[] {
    const grammar = grammarOfSource(source)
    const key = `${source.oid}:${grammar ?? ''}`
    const known = this.files.get(key)
    if (known) return known
    const lines = highlightLines(source.text, grammar)
    this.files.set(key, lines)
    return lines
  }
}

const grammarOfSource = ({ path, text }: HighlightSource) =>
  grammarOfPath(path, text.slice(0, 200).split('\n', 1)[0])

/** The value of a promise, or null when it takes longer than `milliseconds`. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds)
  })
  const value = await Promise.race([promise, timeout])
  clearTimeout(timer)
  return value
}

const highlightedFiles = cache<string[]>('highlighted-files', {
  maxSize: 32 * 1024 * 1024,
  sizeOf: (lines) => lines.reduce((sum, line) => sum + line.length * 2 + 16, 64),
})

export const highlighter = service(
  'highlighter',
  (hearth) => new Highlighter(highlightedFiles(hearth)),
  { close: (highlighter) => highlighter.close() },
)
