/** Text and values with `${{ }}` in them. */
import { evaluate, ExpressionBudget, ExpressionFault, type Scope } from './expression.ts'
import { isJsonArray, isJsonObject, scalarText, type Json, type JsonObject } from './json.ts'
import type { Template } from './model.ts'

/** A part of a text: plain, or the expression between `${{` and `}}`, with its offset. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly text: string; readonly at: number }

const OPEN = '${{'

/** Cuts a text at its expressions. Throws ExpressionFault when one is not closed or empty. */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf(OPEN, from)
    if (open < 0) break
    const close = endOfExpression(text, open + OPEN.length)
    if (close < 0)
      throw new ExpressionFault(
        `The expression is not closed. An unescaped ${OPEN} sequence was found, but the closing }} sequence was not found.`,
      )
    if (open > from) segments.push({ kind: 'text', text: text.slice(from, open) })
    const inner = text.slice(open + OPEN.length, close).trim()
    if (inner === '') throw new ExpressionFault('An expression was expected')
    segments.push({ kind: 'expression', text: inner, at: open })
    from = close + 2
  }
  if (from < text.length) segments.push({ kind: 'text', text: text.slice(from) })
  return segments
}

/** Where `}}` is that closes the expression; quotes hide braces. */
function endOfExpression(text: string, from: number): number {
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted
    else if (!isQuoted && text[at] === '}' && text[at + 1] === '}') return at
  }
  return -1
}

export const hasExpression = (text: string): boolean => text.includes(OPEN)

/** The text with its expressions replaced. Throws ExpressionFault. */
export function interpolate(text: string, scope: Scope, budget = new ExpressionBudget()): string {
  if (!hasExpression(text)) return text
  let result = ''
  for (const segment of segmentsOf(text)) {
    const piece =
      segment.kind === 'text' ? segment.text : scalarText(evaluate(segment.text, scope, budget))
    budget.spend(piece.length)
    result += piece
  }
  return result
}

/** A string that is one expression has its value and type; other strings are interpolated. */
function expandString(text: string, scope: Scope, budget: ExpressionBudget): Json {
  if (!hasExpression(text)) return text
  const [first, ...more] = segmentsOf(text)
  if (first?.kind === 'expression' && more.length === 0) return evaluate(first.text, scope, budget)
  return interpolate(text, scope, budget)
}

/**
 * A value with its expressions evaluated. The key `${{ insert }}` merges a mapping, and a list that
 * an item of a list evaluates to takes the place of that item. Throws ExpressionFault.
 */
export function expand(template: Template, scope: Scope, budget = new ExpressionBudget()): Json {
  budget.spend(1)
  if (typeof template === 'string') return expandString(template, scope, budget)
  if (isJsonArray(template))
    return template.flatMap((item) => {
      const value = expand(item, scope, budget)
      return isJsonArray(value) && typeof item === 'string' ? value : [value]
    })
  if (!isJsonObject(template)) return template
  const entries: [string, Json][] = []
  for (const [key, value] of Object.entries(template)) {
    const inner = expand(value, scope, budget)
    if (isInsert(key)) {
      if (!isJsonObject(inner)) throw new ExpressionFault(`${OPEN} insert }} expects a mapping`)
      for (const entry of Object.entries(inner)) entries.push(entry)
    } else entries.push([interpolate(key, scope, budget), inner])
  }
  return Object.fromEntries(entries)
}

export const isInsert = (key: string): boolean =>
  key.startsWith(OPEN) && key.endsWith('}}') && key.slice(3, -2).trim() === 'insert'

/** A mapping of strings, such as `env` or `with`. Throws ExpressionFault. */
export function expandStrings(
  template: Template,
  scope: Scope,
  budget = new ExpressionBudget(),
): Record<string, string> {
  const value = expand(template, scope, budget)
  if (value === null) return {}
  if (!isJsonObject(value)) throw new ExpressionFault('A mapping was expected')
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scalarText(one)]))
}

/** All expressions in a value, without braces. */
export function* expressionsIn(template: Template): Generator<string> {
  if (typeof template === 'string') {
    if (!hasExpression(template)) return
    for (const segment of segmentsOf(template))
      if (segment.kind === 'expression') yield segment.text
  } else if (isJsonArray(template)) for (const item of template) yield* expressionsIn(item)
  else if (isJsonObject(template))
    for (const [key, value] of Object.entries(template as JsonObject)) {
      if (!isInsert(key)) yield* expressionsIn(key)
      yield* expressionsIn(value)
    }
}
