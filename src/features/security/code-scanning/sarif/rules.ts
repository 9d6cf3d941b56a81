/** The rules of a run: what a result names by id, by index or by the beginning of its id. */
import type { Severity } from '../../schema.ts'
import { arrayOf, objectOf, type JsonObject } from '#lib/json-value.ts'
import { countOf, textOf } from './json.ts'

export type SarifRule = {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly help: string | null
  readonly tags: readonly string[]
}

const MAX_ID_CHARS = 255
const MAX_TEXT_CHARS = 1_000
const MAX_HELP_CHARS = 8_000
const MAX_TAGS = 20

/** The rules of the tool and of its extensions. */
export class RuleIndex {
  readonly #driver: readonly JsonObject[]
  readonly #byId = new Map<string, JsonObject>()
  readonly #extensions: readonly (readonly JsonObject[])[]

  constructor(tool: JsonObject) {
    const rulesOf = (part: unknown): readonly JsonObject[] =>
      arrayOf(objectOf(part).rules).map(objectOf)
    this.#driver = rulesOf(tool.driver)
    this.#extensions = arrayOf(tool.extensions).map(rulesOf)
    for (const rules of [...this.#extensions.toReversed(), this.#driver])
      for (const rule of rules) {
        const id = textOf(rule.id)
        if (id !== null) this.#byId.set(id, rule)
      }
  }

  /** The rule of a result with its id; an empty rule where the file describes none. */
  find(result: JsonObject, toolName: string): { readonly id: string; readonly rule: JsonObject } {
    const reference = objectOf(result.rule)
    const named = textOf(result.ruleId) ?? textOf(reference.id)
    const indexed = this.#indexed(result, reference)
    if (named === null) {
      const id = textOf(indexed?.id)
      return { id: (id ?? toolName).slice(0, MAX_ID_CHARS), rule: indexed ?? {} }
    }
    const id = named.slice(0, MAX_ID_CHARS)
    const known = this.#byId.get(named)
    if (known) return { id, rule: known }
    // A hierarchical id (`CA1000/1`) belongs to the rule that it begins with.
    const parent = this.#byId.get(named.slice(0, Math.max(0, named.lastIndexOf('/'))))
    return { id, rule: parent ?? indexed ?? {} }
  }

  #indexed(result: JsonObject, reference: JsonObject): JsonObject | null {
    const index = countOf(result.ruleIndex) ?? countOf(reference.index)
    if (index === null) return null
    const component = countOf(objectOf(reference.toolComponent).index)
    const rules = component === null ? this.#driver : this.#extensions[component]
    return rules?.[index] ?? null
  }
}

export const messageText = (value: unknown): string | null =>
  textOf(objectOf(value).text) ?? textOf(objectOf(value).markdown)

/** What is stored of a rule. */
export function ruleRecord(id: string, rule: JsonObject): SarifRule {
  const properties = objectOf(rule.properties)
  const description = messageText(rule.fullDescription) ?? messageText(rule.shortDescription)
  const help = textOf(objectOf(rule.help).markdown) ?? textOf(objectOf(rule.help).text)
  return {
    id,
    name: textOf(rule.name)?.slice(0, MAX_ID_CHARS) ?? null,
    description: description?.slice(0, MAX_TEXT_CHARS) ?? null,
    help: (help ?? textOf(rule.helpUri))?.slice(0, MAX_HELP_CHARS) ?? null,
    tags: arrayOf(properties.tags)
      .flatMap((tag) => textOf(tag)?.slice(0, 100) ?? [])
      .slice(0, MAX_TAGS),
  }
}

const scoreOf = (value: unknown): number | null => {
  const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof score === 'number' && score > 0 && score <= 10 ? score : null
}

/** The level of a result; null when it reports no fault. */
function levelOf(result: JsonObject, rule: JsonObject): 'error' | 'warning' | 'note' | null {
  const level =
    textOf(result.level) ?? textOf(objectOf(rule.defaultConfiguration).level) ?? 'warning'
  return level === 'error' || level === 'note' ? level : level === 'none' ? null : 'warning'
}

/**
 * The severity by the score of the rule or of the result, otherwise by the level. Null when the
 * result reports no fault: it passed, was suppressed, or is gone.
 */
export function severityOf(
  result: JsonObject,
  rule: JsonObject,
): { severity: Severity; rank: number } | null {
  const kind = textOf(result.kind) ?? 'fail'
  if (kind !== 'fail' || textOf(result.baselineState) === 'absent') return null
  const suppressed = arrayOf(result.suppressions).some((suppression) => {
    const status = textOf(objectOf(suppression).status)
    return status !== 'rejected' && status !== 'underReview'
  })
  const level = levelOf(result, rule)
  if (suppressed || level === null) return null
  const score =
    scoreOf(objectOf(result.properties)['security-severity']) ??
    scoreOf(objectOf(rule.properties)['security-severity'])
  if (score !== null) {
    const severity =
      score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : ('low' as const)
    return { severity, rank: 100 - score }
  }
  // An error without a score fails checks as a high one does.
  if (level === 'error') return { severity: 'high', rank: 200 }
  return level === 'warning' ? { severity: 'warning', rank: 300 } : { severity: 'note', rank: 400 }
}
