/**
 * One scan of the bytes of a file, or of a part of it. An automaton finds the anchors of all rules in
 * one pass, and the expression of a rule is tried only where one of its anchors allows a match to
 * begin, first with a beginning of bounded width. So most anchors cost the time of a few bytes. The
 * few rules without anchors are matched in windows around their words.
 */
import { ownThreadCpuMs } from '../threads/thread.ts'
import { secretOf, type CompiledRule } from './compiled-rule.ts'
import type { GapSearch } from './gap-pattern.ts'
import type { Candidate } from './secret-filters.ts'
import type { SecretRule } from './secret-rules.ts'
import { WordAutomaton } from './word-automaton.ts'

/** No larger piece is given to an expression. */
export const PIECE_BYTES = 17 * 1024
/**
 * A match that touches a part begins so near before it, in bytes or in lines that are not blank. It
 * may begin further away for rules that say so (`far`), whose texts are looked for there.
 */
export const NEAR = { bytes: 512, lines: 24 }
/** The text around anchors that is decoded at a time. */
const CHUNK_BYTES = 2048
/** The texts of `far` are not longer. */
const MAX_FAR_BYTES = 16
/** The most matches that are collected, before it is known which of them count. */
const MAX_CANDIDATES = 10_000
/** The most bytes that the lead of a match has. */
const MAX_LEAD_BYTES = 50
/** Filters read so much of the lines of a match on each side. */
const MAX_LINE_BYTES = 1024
/** Matching one file ends after this processor time; what is left of it is not looked at. */
const MAX_FILE_CPU_MS = 2000

export type SecretMatch = {
  readonly rule: SecretRule
  readonly secret: string
  /** Where the secret begins, in bytes. */
  readonly index: number
}

/** A part of a file. */
export type Part = { readonly start: number; readonly end: number }
type Window = { start: number; end: number }

/** A text that the automaton looks for, as one of its rules uses it. */
type Anchor = {
  readonly rule: number
  readonly bytes: number
  /** A match begins at most so many bytes before it. */
  readonly before: number
}

/** Blanks and what stands between words, as in rules that allow any number of them. */
const isSeparator = (byte: number): boolean =>
  byte === 32 || byte === 45 || byte === 46 || byte === 95 || (byte >= 9 && byte <= 13)

/** The rules and the automaton of their anchors. */
export class AnchorIndex {
  readonly automaton: WordAutomaton
  readonly anchors: readonly (readonly Anchor[])[]
  /** Rules that are matched in every part, because nothing stands in all of their matches. */
  readonly unanchored: readonly number[]
  /** The widest windows before and after an anchor. */
  readonly maxBefore: number
  readonly maxAfter: number
  /** Texts of rules whose matches may have many lines; null when a rule does not tell. */
  readonly far: readonly Buffer[] | null

  constructor(readonly rules: readonly CompiledRule[]) {
    const users = new Map<string, Anchor[]>()
    const unanchored: number[] = []
    for (const [at, { rule }] of rules.entries()) {
      const texts = rule.anchors ?? textsInside(rule)
      if (texts === null) unanchored.push(at)
      for (const [text, before] of Object.entries(texts ?? {})) {
        const anchor = { rule: at, bytes: text.length, before }
        const known = users.get(text)
        if (known) known.push(anchor)
        else users.set(text, [anchor])
      }
    }
    this.automaton = new WordAutomaton([...users.keys()])
    this.anchors = [...users.values()]
    this.unanchored = unanchored
    this.maxBefore = rules.reduce((most, rule) => Math.max(most, reachBefore(rule)), 0)
    this.maxAfter = rules.reduce((most, { after }) => Math.max(most, after), 0)
    this.far = rules.some(({ rule }) => rule.custom)
      ? null
      : rules.flatMap(({ rule }) => (rule.far ?? []).map((text) => Buffer.from(text)))
  }
}

/** How far a text that the automaton finds ends behind the beginning of a match. */
const reachBefore = ({ rule, before }: CompiledRule): number =>
  rule.anchors
    ? Math.max(...Object.entries(rule.anchors).map(([text, bytes]) => text.length + bytes))
    : before

/** The texts that open windows of a rule without anchors. */
function textsInside({
  words,
  whole,
  inside,
}: SecretRule): Readonly<Record<string, number>> | null {
  const texts = inside ?? (whole ? null : words)
  return texts && Object.fromEntries(texts.map((text) => [text, 0]))
}

/** The last part of an expression may match a line feed. The scanner of the rules trims it, too. */
function withoutLineEnds(text: string): string {
  let [start, end] = [0, text.length]
  while (end > start && text[end - 1] === '\n') end--
  while (start < end && text[start] === '\n') start++
  return text.slice(start, end)
}

export class FileScan {
  readonly matches: SecretMatch[] = []
  /** Whether a match touches the part, or time is over. */
  isHit = false
  private readonly part: Part
  private readonly isText: boolean
  /** The next position at which each rule is tried. */
  private readonly next: Int32Array
  private readonly windows = new Map<number, Window[]>()
  private readonly endsAtCpuMs = ownThreadCpuMs() + MAX_FILE_CPU_MS
  private isOver = false
  /** Decoded text, and where it begins and ends. */
  private text = ''
  private textFrom = 0
  private textTo = 0
  /** The text that is searched for a rule with gaps, and where it begins and ends. */
  private readonly gaps = new Map<CompiledRule, Part & { readonly search: GapSearch }>()

  constructor(
    private readonly index: AnchorIndex,
    private readonly bytes: Buffer,
    private readonly isDropped: (compiled: CompiledRule, candidate: Candidate) => boolean,
    private readonly options: { readonly isText: boolean; readonly part: Part | null },
  ) {
    this.isText = options.isText
    this.part = options.part ?? { start: 0, end: bytes.length }
    this.next = new Int32Array(index.rules.length)
  }

  run(): this {
    const { index, bytes, part } = this
    for (const at of index.unanchored) this.openWindow(at, part)
    const from = this.options.part === null ? 0 : this.nearStart()
    const to = Math.min(bytes.length, part.end + index.maxBefore)
    index.automaton.scan(bytes, (word, end) => this.visit(word, end), from, to)
    for (const [at, windows] of this.windows) {
      const compiled = index.rules[at]
      if (compiled)
        for (const window of windows) if (!this.isOver) this.matchWindow(compiled, window)
    }
    return this
  }

  /** Where the scan begins so that no match that touches the part is missed. */
  private nearStart(): number {
    const { bytes, index, part } = this
    const furthest = Math.max(0, part.start - index.maxAfter)
    if (index.far === null) return furthest
    let at = Math.max(0, part.start - 1)
    let isBlank = true
    for (
      let lines = 0;
      at > furthest && (lines < NEAR.lines || part.start - at < NEAR.bytes);
      at--
    ) {
      const byte = bytes[at] as number
      if (byte === 10) {
        if (!isBlank) lines++
        isBlank = true
      } else if (isBlank) isBlank = isSeparator(byte)
    }
    // Texts that stand across this place are found whole.
    const rest = bytes.subarray(furthest, at + MAX_FAR_BYTES)
    return index.far.some((text) => rest.includes(text)) ? furthest : at
  }

  /** Tries the rules of an anchor. Returns whether the scan is over. */
  private visit(word: number, end: number): boolean {
    const anchors = this.index.anchors[word] as readonly Anchor[]
    for (let which = 0; which < anchors.length; which++) {
      const { rule: at, bytes, before } = anchors[which] as Anchor
      const compiled = this.index.rules[at] as CompiledRule
      if (!this.isText && !compiled.rule.refused) continue
      const start = end - bytes
      if (!compiled.isAnchored) this.openWindow(at, { start: end, end })
      else if (
        start + compiled.after >= this.part.start &&
        start - before <= this.part.end &&
        this.tryAt(compiled, at, start - before, start)
      )
        return true
    }
    return this.isOver
  }

  /** Tries a rule at some positions. Returns whether the scan is over. */
  private tryAt(compiled: CompiledRule, at: number, first: number, last: number): boolean {
    let start = Math.max(0, first, this.next[at] as number)
    while (start <= last) {
      const groups = this.matchAt(compiled, start)
      if (groups !== null) {
        this.take(compiled, groups, start)
        if (this.isOver) return true
        start += Math.max(1, (groups[0] as string).length)
      } else start++
    }
    this.next[at] = start
    return this.isOver
  }

  private matchAt(compiled: CompiledRule, start: number): readonly string[] | null {
    const needed = Math.min(this.bytes.length, start + compiled.reach)
    const isDecoded = needed <= this.textTo && (start > this.textFrom || this.textFrom === 0)
    if (!isDecoded || start < this.textFrom) this.decode(start)
    const beginning = compiled.beginning()
    beginning.lastIndex = start - this.textFrom
    const groups = beginning.exec(this.text)
    return groups === null || !compiled.isOpen
      ? (groups as readonly string[] | null)
      : this.matchOpen(compiled, start)
  }

  private decode(start: number): void {
    this.checkTime()
    this.textFrom = Math.max(0, start - 64)
    this.textTo = Math.min(this.bytes.length, start + CHUNK_BYTES)
    this.text = this.bytes.toString('latin1', this.textFrom, this.textTo)
  }

  private matchOpen(compiled: CompiledRule, start: number): readonly string[] | null {
    if (compiled.searchGaps !== null) return this.matchGap(compiled, compiled.searchGaps, start)
    const { rule, sticky } = compiled
    this.checkTime()
    const from = Math.max(0, start - 1)
    const pattern = sticky()
    pattern.lastIndex = start - from
    const to = this.endOfLines(start, rule.lines ?? Infinity)
    return pattern.exec(this.bytes.toString('latin1', from, to)) as readonly string[] | null
  }

  /** One search serves all matches that begin in a piece. */
  private matchGap(
    compiled: CompiledRule,
    searchGaps: (text: string) => GapSearch,
    start: number,
  ): readonly string[] | null {
    let known = this.gaps.get(compiled)
    if (!known || Math.min(start + PIECE_BYTES, this.bytes.length) > known.end) {
      this.checkTime()
      const from = Math.max(0, start - 1)
      const end = Math.min(start + 2 * PIECE_BYTES, this.bytes.length)
      known = { start: from, end, search: searchGaps(this.bytes.toString('latin1', from, end)) }
      this.gaps.set(compiled, known)
    }
    return known.search.matchAt(start - known.start)
  }

  /** Where a text ends that has more lines than a match, or is as long as a piece. */
  private endOfLines(start: number, lines: number): number {
    const furthest = start + PIECE_BYTES
    if (lines === Infinity) return furthest
    let at = start
    for (let count = 0; count <= lines && at < furthest; count++) {
      const end = this.bytes.indexOf(10, at)
      if (end < 0) return furthest
      at = end + 1
    }
    return Math.min(at, furthest)
  }

  private take(compiled: CompiledRule, groups: readonly string[], start: number): void {
    const { rule } = compiled
    const match = groups[0] as string
    // What was matched may end before the part or begin after it.
    if (this.options.part !== null && !this.touchesPart(start, start + match.length)) return
    const secret = withoutLineEnds(secretOf(rule, groups))
    const candidate = {
      secret,
      match: this.leadBefore(compiled, start) + match,
      lines: () => this.linesAround(start, start + match.length),
    }
    if (this.isDropped(compiled, candidate)) return
    if (rule.whole && !compiled.hasWord(this.bytes)) return
    this.matches.push({ rule, secret, index: start + Math.max(0, match.indexOf(secret)) })
    this.isHit = true
    if (this.options.part !== null || this.matches.length >= MAX_CANDIDATES) this.isOver = true
  }

  private leadBefore({ lead }: CompiledRule, start: number): string {
    const pattern = lead()
    if (pattern === null) return ''
    const before = this.bytes.toString('latin1', Math.max(0, start - MAX_LEAD_BYTES), start)
    return pattern.exec(before)?.[0] ?? ''
  }

  private linesAround(start: number, end: number): string {
    const before = this.bytes.toString('latin1', Math.max(0, start - MAX_LINE_BYTES), start)
    const rest = this.bytes.toString('latin1', start, end + MAX_LINE_BYTES)
    const lineEnd = rest.indexOf('\n', end - start)
    return (
      before.slice(before.lastIndexOf('\n') + 1) + rest.slice(0, lineEnd < 0 ? undefined : lineEnd)
    )
  }

  private touchesPart(start: number, end: number): boolean {
    return start <= this.part.end && end >= this.part.start
  }

  private checkTime(): void {
    if (ownThreadCpuMs() <= this.endsAtCpuMs) return
    this.isOver = true
    this.isHit = true
  }

  /** Opens a window around a part, if it touches the part that is looked at. */
  private openWindow(at: number, { start, end }: Part): void {
    const { rule, before, after } = this.index.rules[at] as CompiledRule
    if (!this.isText && !rule.refused) return
    const from = Math.max(0, start - (rule.inside ? after : before))
    const to = Math.min(this.bytes.length, end + after)
    if (!this.touchesPart(from, to)) return
    const list = this.windows.get(at)
    const last = list?.at(-1)
    if (!list) this.windows.set(at, [{ start: from, end: to }])
    else if (last && last.end >= from) last.end = Math.max(last.end, to)
    else list.push({ start: from, end: to })
  }

  /** Runs an expression over a window, in pieces that overlap by the width of a match. */
  private matchWindow(compiled: CompiledRule, { start, end }: Window): void {
    const overlap = Math.min(compiled.before, PIECE_BYTES / 2)
    for (let from = start; !this.isOver; ) {
      this.checkTime()
      const to = Math.min(end, from + PIECE_BYTES)
      for (const { groups, index } of compiled.matchAll(this.bytes.toString('latin1', from, to))) {
        this.take(compiled, groups, from + index)
        if (this.isOver) return
      }
      if (to >= end) return
      from = to - overlap
    }
  }
}
