/**
 * Finds secrets in bytes. `FileScan` finds what looks like one; this decides which of them count:
 * filters, words that have to be elsewhere in the file, rules that need another one beside them, and
 * overlaps.
 */
import { isSecretText } from '../secret-formats.ts'
import { lazy } from '../lazy.ts'
import { compileRule, type CompiledRule } from './compiled-rule.ts'
import { FilterPattern } from './filter-pattern.ts'
import { AnchorIndex, FileScan, type Part, type SecretMatch } from './file-scan.ts'
import { CompiledFilter, type Candidate } from './secret-filters.ts'
import { commonFilters, secretRules, type SecretRule } from './secret-rules.ts'

export type { SecretMatch } from './file-scan.ts'

/** The most matches that are told of one file. */
const MAX_MATCHES = 1000
/** A NUL in so many first bytes makes a file binary, as in git. */
const BINARY_BYTES = 8000

export class SecretMatcher {
  private readonly compiled: ReadonlyMap<SecretRule, CompiledRule>
  private readonly index: AnchorIndex
  private readonly commonDrops: readonly CompiledFilter[]
  private readonly skippedPaths: readonly FilterPattern[]

  constructor(private readonly rules: readonly SecretRule[]) {
    const common = commonFilters()
    this.commonDrops = common.drops.map((drop) => new CompiledFilter(drop))
    this.skippedPaths = common.skippedPaths.map((source) => new FilterPattern(source))
    this.index = new AnchorIndex(rules.map(compileRule))
    this.compiled = new Map(this.index.rules.map((compiled) => [compiled.rule, compiled]))
  }

  /**
   * What looks like a secret in the bytes of a file, at any path. `select` leaves out what does not
   * count at the path of the file.
   */
  find(data: Uint8Array): SecretMatch[] {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    return this.withNeeds(bytes, this.scan(bytes, null).matches).slice(0, MAX_MATCHES)
  }

  /**
   * Whether a part of a file touches what may be a match, in the file around it as well, or time is
   * over. What else a rule needs somewhere in the file is left to `find`.
   */
  hasMatchNear(bytes: Buffer, part: Part): boolean {
    return this.scan(bytes, part).isHit
  }

  private scan(bytes: Buffer, part: Part | null): FileScan {
    const options = { isText: !isBinary(bytes), part }
    return new FileScan(this.index, bytes, this.isDropped, options).run()
  }

  /** The matches that count in a file of this path, or in a text, in order and without overlaps. */
  select(matches: readonly SecretMatch[], path: string | null): SecretMatch[] {
    const accepted = matches.filter(({ rule }) => this.acceptsPath(rule, path))
    return withoutOverlaps(accepted, this.rules)
  }

  private acceptsPath(rule: SecretRule, path: string | null): boolean {
    const compiled = this.compiled.get(rule)
    if (!compiled) return false
    if (path === null) return compiled.path === null
    if (compiled.path !== null && !compiled.path.test(path)) return false
    if (compiled.pathDrops.some((drop) => drop.dropsPath(path))) return false
    return rule.refused === true || !this.skippedPaths.some((pattern) => pattern.test(path))
  }

  private readonly isDropped = ({ rule, drops }: CompiledRule, candidate: Candidate): boolean => {
    if (rule.own) return !isSecretText(candidate.secret)
    if (rule.custom) return candidate.secret === ''
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

/** Whether git would call a file binary. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, BINARY_BYTES).includes(0)

/** Of matches that overlap, the one of the earlier rule, in the order of the file. */
function withoutOverlaps(
  matches: readonly SecretMatch[],
  rules: readonly SecretRule[],
): SecretMatch[] {
  if (matches.length < 2) return [...matches]
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
