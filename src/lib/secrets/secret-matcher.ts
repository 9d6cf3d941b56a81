/**
 * Finds secrets in bytes. An automaton finds the words of all rules in one pass. Each hit opens a
 * window as wide as a match of its rule can be; windows that overlap are joined, and the expression
 * runs on pieces of them, so its time is linear in the bytes.
 */
import { isSecretText } from '../secret-formats.ts'
import { lazy } from '../lazy.ts'
import { LinearPattern, type PatternMatch } from './linear-pattern.ts'
import { CompiledFilter } from './secret-filters.ts'
import { commonFilters, secretRules, type SecretRule } from './secret-rules.ts'
import { WordAutomaton } from './word-automaton.ts'

/** No larger piece is given to an expression. */
export const PIECE_BYTES = 17 * 1024
/** The windows of a rule whose matches have no bound. */
const UNBOUNDED = { before: 600, after: 8 * 1024 }
/** The most matches that are told of one file. */
const MAX_MATCHES = 1000
/** Matching one file ends after this time; what is left of it is not looked at. */
const MAX_FILE_MS = 2000
/** A NUL in so many first bytes makes a file binary, as in git. */
const BINARY_BYTES = 8000

export type SecretMatch = {
  readonly rule: SecretRule
  readonly secret: string
  /** Where the secret begins, in bytes. */
  readonly index: number
}

/** The matches of a rule in a text: the whole one, then its groups. */
type RulePattern = (text: string) => Iterable<PatternMatch>

type Compiled = {
  readonly rule: SecretRule
  readonly pattern: RulePattern
  readonly drops: readonly CompiledFilter[]
  readonly pathDrops: readonly CompiledFilter[]
  readonly path: RegExp | null
  readonly before: number
  readonly after: number
}

/** A part of a file in which a rule looks for matches. */
type Window = { start: number; end: number }

const NO_RULES: readonly number[] = []

/** Finds the rules whose words stand in bytes. */
class RuleWords {
  readonly maxBytes: number
  private readonly automaton: WordAutomaton
  /** The rules of each word. */
  private readonly users: readonly (readonly number[])[]

  constructor(rules: readonly SecretRule[], has: (rule: SecretRule) => boolean) {
    const users = new Map<string, number[]>()
    for (const [at, rule] of rules.entries())
      if (has(rule))
        for (const word of rule.words) {
          const known = users.get(word)
          if (known) known.push(at)
          else users.set(word, [at])
        }
    const words = [...users.keys()]
    this.automaton = new WordAutomaton(words)
    this.users = words.map((word) => users.get(word) ?? [])
    this.maxBytes = words.reduce((most, word) => Math.max(most, word.length), 0)
  }

  /** Calls `found` with each rule of each word, and the position after the word. */
  scan(bytes: Buffer, found: (rule: number, end: number) => void): void {
    this.automaton.scan(bytes, (word, end) => {
      for (const rule of this.users[word] ?? []) found(rule, end)
    })
  }
}

export class SecretMatcher {
  private readonly compiled: readonly Compiled[]
  private readonly words: RuleWords
  private readonly distantWords: RuleWords
  /** The widest windows before and after a word. */
  private readonly maxBefore: number
  private readonly maxAfter: number
  private readonly commonDrops: readonly CompiledFilter[]
  private readonly skippedPaths: readonly RegExp[]

  constructor(private readonly rules: readonly SecretRule[]) {
    const common = commonFilters()
    this.commonDrops = common.drops.map((drop) => new CompiledFilter(drop))
    this.skippedPaths = common.skippedPaths.map((source) => new RegExp(source))
    this.compiled = rules.map(compile)
    this.maxBefore = this.compiled.reduce((most, { before }) => Math.max(most, before), 0)
    this.maxAfter = this.compiled.reduce((most, { after }) => Math.max(most, after), 0)
    this.words = new RuleWords(rules, () => true)
    this.distantWords = new RuleWords(rules, ({ whole }) => whole === true)
  }

  /**
   * What looks like a secret in the bytes of a file, at any path. `select` leaves out what does not
   * count at the path of the file.
   */
  find(data: Uint8Array): SecretMatch[] {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const windows = this.openWindows(bytes, { start: 0, end: bytes.length })
    const end = performance.now() + MAX_FILE_MS
    const matches: SecretMatch[] = []
    for (const [at, list] of windows) {
      const compiled = this.compiled[at]
      if (!compiled) continue
      for (const window of list) {
        if (performance.now() > end) break
        this.matchWindow(bytes, compiled, window, matches, end)
      }
    }
    return this.withNeeds(bytes, matches).slice(0, MAX_MATCHES)
  }

  /**
   * Whether a part of a file touches what may be a match, in the file around it as well. What else
   * a rule needs somewhere in the file is left to `find`. `distant` are the distant rules of the file.
   */
  hasMatchNear(bytes: Buffer, part: Readonly<Window>, distant: readonly number[]): boolean {
    const end = performance.now() + MAX_FILE_MS
    const matches: SecretMatch[] = []
    for (const [at, list] of this.openWindows(bytes, part, distant)) {
      const compiled = this.compiled[at]
      if (!compiled) continue
      for (const window of list) {
        // Out of time: as if there was one.
        if (performance.now() > end) return true
        this.matchWindow(bytes, compiled, window, matches, end)
        if (matches.length > 0) return true
      }
    }
    return false
  }

  /** The rules whose word may stand far from a match, of those with a word that touches a part. */
  distantRules(bytes: Buffer, part: Readonly<Window>): readonly number[] {
    const { maxBytes } = this.distantWords
    const from = Math.max(0, part.start - maxBytes)
    const rules = new Set<number>()
    this.distantWords.scan(bytes.subarray(from, part.end + maxBytes), (rule) => rules.add(rule))
    return rules.size === 0 ? NO_RULES : [...rules]
  }

  /** The matches that count in a file of this path, or in a text, in order and without overlaps. */
  select(matches: readonly SecretMatch[], path: string | null): SecretMatch[] {
    const accepted = matches.filter(({ rule }) => this.acceptsPath(rule, path))
    return withoutOverlaps(accepted, this.rules)
  }

  private acceptsPath(rule: SecretRule, path: string | null): boolean {
    const compiled = this.compiled[this.rules.indexOf(rule)]
    if (!compiled) return false
    if (path === null) return compiled.path === null
    if (compiled.path !== null && !compiled.path.test(path)) return false
    if (compiled.pathDrops.some((drop) => drop.dropsPath(path))) return false
    return rule.refused === true || !this.skippedPaths.some((pattern) => pattern.test(path))
  }

  /** Where each rule has to be matched so that no match that touches a part is missed. */
  private openWindows(
    bytes: Buffer,
    part: Readonly<Window>,
    distant: readonly number[] = [],
  ): Map<number, Window[]> {
    const windows = new Map<number, Window[]>()
    const isText = !isBinary(bytes)
    const add = (at: number, from: number, to: number): void => {
      const list = windows.get(at)
      const last = list?.at(-1)
      if (!list) windows.set(at, [{ start: from, end: to }])
      else if (last && last.end >= from) last.end = Math.max(last.end, to)
      else list.push({ start: from, end: to })
    }
    for (const at of distant) {
      const compiled = this.compiled[at]
      if (!compiled || !(isText || compiled.rule.refused)) continue
      // The part may be the end of a match without a bound.
      const before = Math.max(compiled.before, compiled.after)
      add(at, ...around(part, { ...compiled, before }, bytes.length))
    }
    const scanned = {
      start: Math.max(0, part.start - this.maxAfter),
      end: Math.min(bytes.length, part.end + this.maxBefore),
    }
    this.words.scan(bytes.subarray(scanned.start, scanned.end), (at, position) => {
      const compiled = this.compiled[at]
      if (!compiled || !(isText || compiled.rule.refused)) return
      const end = scanned.start + position
      const center = compiled.rule.whole ? part : { start: end, end }
      const [from, to] = around(center, compiled, bytes.length)
      if (to >= part.start && from <= part.end) add(at, from, to)
    })
    return windows
  }

  /** Runs an expression over a window, in pieces that overlap by the width of a match. */
  private matchWindow(
    bytes: Buffer,
    compiled: Compiled,
    { start, end }: Window,
    matches: SecretMatch[],
    endsAt: number,
  ): void {
    const overlap = Math.min(compiled.before, PIECE_BYTES / 2)
    let from = start
    for (;;) {
      const to = Math.min(end, from + PIECE_BYTES)
      const text = bytes.toString('latin1', from, to)
      for (const found of compiled.pattern(text)) {
        const [match = ''] = found.groups
        const secret = secretOf(compiled.rule, found)
        const index = from + found.index + Math.max(0, match.indexOf(secret))
        const candidate = { secret, match }
        if (this.isDropped(compiled, candidate)) continue
        matches.push({ rule: compiled.rule, secret, index })
        if (matches.length >= 10 * MAX_MATCHES) return
      }
      if (to >= end || performance.now() > endsAt) return
      from = to - overlap
    }
  }

  private isDropped(
    { rule, drops }: Compiled,
    candidate: { readonly secret: string; readonly match: string },
  ): boolean {
    if (rule.own) return !isSecretText(candidate.secret)
    if (rule.linear) return candidate.secret === ''
    return (
      candidate.secret === '' ||
      drops.some((drop) => drop.drops(candidate)) ||
      this.commonDrops.some((drop) => drop.drops(candidate))
    )
  }

  /** Leaves out what another rule should stand beside and does not, and what is only looked for. */
  private withNeeds(bytes: Buffer, matches: readonly SecretMatch[]): SecretMatch[] {
    if (!matches.some(({ rule }) => rule.hidden || rule.needs)) return [...matches]
    const lines = lazy(() => lineStarts(bytes))
    const lineOf = (index: number) => lineAt(lines(), index)
    const byRule = Map.groupBy(matches, ({ rule }) => rule.id)
    return matches.filter(
      ({ rule, index }) =>
        !rule.hidden &&
        (rule.needs ?? []).every(({ id, lines: distance = Infinity }) =>
          (byRule.get(id) ?? []).some(
            (other) =>
              distance === Infinity || Math.abs(lineOf(other.index) - lineOf(index)) <= distance,
          ),
        ),
    )
  }
}

/** Where a match can begin and end that touches a part of a file. */
const around = (
  { start, end }: Readonly<Window>,
  { before, after }: Compiled,
  length: number,
): [from: number, to: number] => [Math.max(0, start - before), Math.min(length, end + after)]

/** Whether git would call a file binary. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, BINARY_BYTES).includes(0)

const linearPattern = (source: string): RulePattern => {
  const pattern = new LinearPattern(source)
  return (text) => pattern.matchAll(text)
}

const nativePattern = (source: string): RulePattern => {
  const pattern = new RegExp(source, 'g')
  return function* (text) {
    for (const found of text.matchAll(pattern))
      yield { index: found.index, groups: found as readonly string[] }
  }
}

function compile(rule: SecretRule): Compiled {
  const { maxBytes } = rule
  const drops = (rule.drops ?? []).map((drop) => new CompiledFilter(drop))
  return {
    rule,
    pattern: rule.linear ? linearPattern(rule.pattern) : nativePattern(rule.pattern),
    drops: drops.filter((drop) => !drop.isOfPath),
    pathDrops: drops.filter((drop) => drop.isOfPath),
    path: rule.path === undefined ? null : new RegExp(rule.path),
    // One byte more on each side, for `\b` and the like.
    before: maxBytes === undefined ? UNBOUNDED.before : maxBytes + 1,
    after: maxBytes === undefined ? UNBOUNDED.after : maxBytes + 1,
  }
}

function secretOf({ group }: SecretRule, { groups }: PatternMatch): string {
  if (group !== undefined) return groups[group] ?? ''
  return groups.slice(1).find((part) => part !== undefined && part !== '') ?? groups[0] ?? ''
}

/** Of matches that overlap, the one of the earlier rule, in the order of the file. */
function withoutOverlaps(
  matches: readonly SecretMatch[],
  rules: readonly SecretRule[],
): SecretMatch[] {
  const ranks = new Map(rules.map((rule, at) => [rule, (rule.refused ? 0 : rules.length) + at]))
  const sorted = matches.toSorted((a, b) => a.index - b.index)
  const kept: SecretMatch[] = []
  for (const match of sorted) {
    const last = kept.at(-1)
    if (last === undefined || last.index + last.secret.length <= match.index) kept.push(match)
    else if ((ranks.get(match.rule) ?? 0) < (ranks.get(last.rule) ?? 0)) kept.splice(-1, 1, match)
  }
  return kept
}

export function lineStarts(bytes: Buffer): number[] {
  const starts = [0]
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
  return starts
}

/** The line of a position, from 1. */
export function lineAt(starts: readonly number[], index: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= index) low = middle + 1
    else high = middle
  }
  return low
}

/** The matcher of all rules, made with the first scan of a thread. */
export const secretMatcher: () => SecretMatcher = lazy(() => new SecretMatcher(secretRules()))
