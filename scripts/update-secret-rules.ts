/**
 * Writes `src/lib/secrets/secret-rules.json`: the rules of the scanner betterleaks (and the generic rule of
 * gitleaks, by the same authors), translated. Both are under the MIT license, whose text is kept in
 * the file. Rules that cannot be translated, or whose time is not linear, are left out and named.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NEAR } from '#lib/secrets/file-scan.ts'
import type { SecretFilter, SecretRule, SecretRules } from '#lib/secrets/secret-rules.ts'
import { anchorsOf, beginningPattern, isSeparator, maxLines } from './secret-rules/anchors.ts'
import { worstTime, type SlowRule } from './secret-rules/attack.ts'
import { translateGoPattern, type TranslatedPattern } from './secret-rules/go-pattern.ts'
import { labelOf } from './secret-rules/label.ts'
import { readFilter } from './secret-rules/read-filter.ts'
import { runScript, type Option } from './support/options.ts'

const RULES_FILE = fileURLToPath(new URL('../src/lib/secrets/secret-rules.json', import.meta.url))
/** No match of a piece may take longer. */
const MAX_PIECE_MS = 50
/** A literal of an issuer is at least so long. */
const MIN_PREFIX_CHARS = 4
/**
 * Not refused although they begin with a literal: they stand in test data and documentation, are
 * meant for web pages, or are the addresses of a service with or without a secret.
 */
const NOT_REFUSED =
  /^(?:private-key|jwt|jwt-base64|generic-api-key|gcp-api-key|gcp-service-account|stripe-access-token|.*connection-string.*|.*webhook.*|.*-url.*|gcp-gemini-api|devcycle-client-sdk-key|devcycle-mobile-sdk-key|.*-test-.*|.*public.*|.*publishable.*)$/

/** Anchors that are not read from the expression: digits before a sign. */
const OWN_ANCHORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'facebook-access-token': Object.fromEntries(
    [...'0123456789'].flatMap((digit) => [
      [`${digit}|`, 15],
      [`${digit}%`, 15],
    ]),
  ),
}
/** What stands in every match of rules without anchors whose words need not. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  'gcp-application-default-credentials': ['refresh_token'],
}

/**
 * A word, and what follows it some lines later: the word, whether the lines are matched lazily, their
 * number, and the rest. Its time is quadratic, so the two are matched apart.
 */
const GAP = /^(\\b\w+\\b)\(\?:\.\*(\??)\|\.\*\2\(\?:\[\\r\\n\]\{1,2\}\.\*\2\)\{1,(\d+)\}\)([^]+)$/

/** Their time is not linear here, and their words are rare: they are matched by RE2. */
const LINEAR: ReadonlySet<string> = new Set(['ebay-client-id', 'snowflake-account-host'])
/** What stands in every match of rules whose matches have many lines. */
const FAR: Readonly<Record<string, readonly string[]>> = {
  'curl-auth-header': ['curl'],
  'curl-auth-user': ['curl'],
  'gcp-application-default-credentials': ['refresh_token'],
  'gcp-service-account': ['private_key'],
  'influxdb-api-token': ['influx', 'INFLUX', 'Influx'],
  'jwt-base64': ['ZXlK'],
  'kubernetes-secret-yaml': ['kind:', 'data:'],
  'private-key': ['-----BEGIN'],
}

type SourceRule = {
  readonly id: string
  readonly regex?: string
  readonly path?: string
  readonly keywords?: readonly string[]
  readonly secretGroup?: number
  readonly filter?: string
  /** Cut off from the beginning of the expression. */
  readonly lead?: string
  readonly entropy?: number
  readonly skipReport?: boolean
  readonly required?: readonly { readonly id: string; readonly withinLines?: number }[]
  readonly allowlists?: readonly {
    readonly condition?: string
    readonly regexTarget?: string
    readonly regexes?: readonly string[]
    readonly stopwords?: readonly string[]
  }[]
}
type SourceFile = {
  readonly prefilter: string
  readonly filter: string
  readonly rules: readonly SourceRule[]
}

const readToml = (file: string): SourceFile =>
  Bun.TOML.parse(readFileSync(file, 'utf8')) as SourceFile

/** The allow lists of gitleaks; one with a condition over several fields is left out. */
const readAllowlists = (rule: SourceRule): SecretFilter[] =>
  (rule.allowlists ?? [])
    .filter(({ condition }) => condition === undefined)
    .flatMap(({ regexTarget, regexes, stopwords }): SecretFilter[] => [
      ...(regexes
        ? [
            {
              on: regexTarget === 'match' || regexTarget === 'line' ? regexTarget : 'secret',
              matches: regexes.map((pattern) => translateGoPattern(pattern).source),
            } as const,
          ]
        : []),
      ...(stopwords ? [{ on: 'secret', contains: stopwords } as const] : []),
    ])

/** Whether a match may touch a part and begin far before it. A line that is not blank takes two bytes. */
const hasManyLines = ({ maxBytes, node }: TranslatedPattern): boolean =>
  maxBytes > NEAR.bytes && maxLines(node, isSeparator) / 2 > NEAR.lines

/** Parts a rule at its gap, if it has one. */
function asGap(rule: SecretRule, regex: string): SecretRule {
  const [, after, lazy, breaks, rest] = GAP.exec(regex) ?? []
  if (after === undefined || rest === undefined) return rule
  const start = translateGoPattern(after).source
  const gap = { after: start, lines: Number(breaks), ...(lazy !== '' && { isLazy: true }) }
  const { lines: _, ...others } = rule
  return { ...others, pattern: translateGoPattern(rest).source, beginning: start, gap }
}

/** A rule for RE2, which is matched in windows around its words. */
function asLinear(rule: SecretRule, regex: string): SecretRule {
  const { anchors: _, beginning: __, lines: ___, ...rest } = rule
  return { ...rest, pattern: regex, linear: true }
}

function translateRule(rule: SourceRule): SecretRule | null {
  if (rule.regex === undefined || !rule.keywords?.length) return null
  const pattern = translateGoPattern(rule.regex)
  const words = [...new Set(rule.keywords.map((word) => word.toLowerCase()))]
  const drops: SecretFilter[] = [
    ...(rule.entropy === undefined ? [] : [{ entropy: rule.entropy, orEqual: true }]),
    ...readFilter(rule.filter ?? ''),
    ...readAllowlists(rule),
  ]
  const isRefused =
    !rule.skipReport &&
    rule.required === undefined &&
    pattern.secretPrefix.length >= MIN_PREFIX_CHARS &&
    !NOT_REFUSED.test(rule.id)
  const anchors = OWN_ANCHORS[rule.id] ?? Object.fromEntries(anchorsOf(pattern.node, words) ?? [])
  const isAnchored = Object.keys(anchors).length > 0
  const beginning = isAnchored ? beginningPattern(pattern.node) : null
  const inside = INSIDE[rule.id]
  if (!isAnchored && !pattern.contains(inside ?? words))
    throw new Error(`${rule.id}: nothing says where its matches are`)
  const far = FAR[rule.id]
  const lines = maxLines(pattern.node)
  return {
    id: rule.id.replace(/\.1$/, ''),
    label: labelOf(rule.id.replace(/\.1$/, '')),
    pattern: pattern.source,
    words,
    ...(isAnchored && { anchors }),
    ...(inside && { inside }),
    ...(far ? { far } : hasManyLines(pattern) && { far: [] }),
    ...(beginning && { beginning }),
    ...(pattern.maxBytes !== Infinity && { maxBytes: pattern.maxBytes }),
    ...(pattern.maxBytes === Infinity && lines < Infinity && { lines }),
    ...(!pattern.contains(words) && { whole: true }),
    ...(rule.secretGroup !== undefined && { group: rule.secretGroup }),
    ...(rule.path !== undefined && { path: translateGoPattern(rule.path).source }),
    ...(rule.lead !== undefined && { lead: translateGoPattern(rule.lead).source }),
    ...(drops.length > 0 && { drops }),
    ...(rule.required && {
      needs: rule.required.map(({ id, withinLines }) => ({
        id: id.replace(/\.1$/, ''),
        ...(withinLines !== undefined && { lines: withinLines }),
      })),
    }),
    ...(rule.skipReport && { hidden: true }),
    ...(isRefused && { refused: true }),
  }
}

const linearTime = ({ id }: SecretRule): SlowRule => ({ id, milliseconds: 0, attack: '' })

/** The rules that work, and what keeps the others out. */
function translateAll(rules: readonly SourceRule[]): {
  readonly kept: SecretRule[]
  readonly dropped: string[]
  readonly slowest: SlowRule[]
} {
  const kept: SecretRule[] = []
  const dropped: string[] = []
  const times: SlowRule[] = []
  for (const source of rules) {
    const translated = translateRule(source)
    const isLinear = translated !== null && LINEAR.has(translated.id)
    const rule =
      translated &&
      (isLinear ? asLinear(translated, source.regex ?? '') : asGap(translated, source.regex ?? ''))
    const slow = rule && (rule.linear ? linearTime(rule) : worstTime(rule))
    if (rule === null || slow === null) dropped.push(`${source.id}: only looks at a path`)
    else if (slow.milliseconds > MAX_PIECE_MS)
      dropped.push(`${source.id}: ${slow.milliseconds.toFixed(0)} ms on ${slow.attack}`)
    else if (rule.far?.length === 0)
      throw new Error(`${source.id}: what stands in its matches of many lines has to be in FAR`)
    else {
      kept.push(rule)
      times.push(slow)
    }
  }
  const slowest = times.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 5)
  return { kept, dropped, slowest }
}

const OPTIONS = {
  betterleaks: { kind: 'text', default: '', help: 'A checkout of betterleaks.' },
  gitleaks: { kind: 'text', default: '', help: 'A checkout of gitleaks.' },
} as const satisfies Record<string, Option>

await runScript(
  'bun scripts/update-secret-rules.ts --betterleaks DIR --gitleaks DIR',
  OPTIONS,
  async ({ betterleaks, gitleaks }) => {
    const file = readToml(join(betterleaks, 'config/betterleaks.toml'))
    // Only filters read its preamble, which takes quadratic time.
    const preamble = '[\\w.-]{0,50}?'
    const generic = readToml(join(gitleaks, 'config/gitleaks.toml'))
      .rules.filter(({ id }) => id === 'generic-api-key')
      .map((rule) => ({
        ...rule,
        regex: rule.regex?.replace(preamble, ''),
        lead: '[\\w.-]{0,50}$',
      }))
    const { kept, dropped, slowest } = translateAll([
      ...file.rules.filter(({ id }) => id !== 'generic-api-key'),
      ...generic,
    ])
    const license = await Bun.file(join(betterleaks, 'LICENSE')).text()
    const rules: SecretRules = {
      license: `From betterleaks 1.7.0 and gitleaks.\n\n${license}`,
      skippedPaths: readFilter(file.prefilter).flatMap((one) =>
        'matches' in one ? one.matches : [],
      ),
      drops: readFilter(file.filter),
      rules: kept,
    }
    writeFileSync(RULES_FILE, `${JSON.stringify(rules, null, 1)}\n`)
    console.log(`${kept.length} rules, ${kept.filter(({ refused }) => refused).length} refused`)
    for (const line of dropped) console.log(`left out: ${line}`)
    for (const { id, milliseconds, attack } of slowest)
      console.log(`slowest: ${id} ${milliseconds.toFixed(1)} ms on ${attack}`)
    return 0
  },
)
