/** Puts the values of contexts into expressions, in the place of their names. */
import { namesIn } from './expression.ts'
import { isJsonArray, isJsonObject, type JsonObject } from './json.ts'
import type { Template } from './model.ts'
import { hasExpression, isInsert, segmentsOf } from './template.ts'

/** The value as an expression that yields it. */
const literalOf = (value: JsonObject[string]): string =>
  `fromJSON('${JSON.stringify(value).replaceAll("'", "''")}')`

function inlineExpression(text: string, contexts: JsonObject): string {
  let result = ''
  let from = 0
  for (const { name, at } of namesIn(text)) {
    const value = contexts[name.toLowerCase()]
    if (value === undefined) continue
    result += text.slice(from, at) + literalOf(value)
    from = at + name.length
  }
  return result + text.slice(from)
}

function inlineText(text: string, contexts: JsonObject): string {
  if (!hasExpression(text)) return text
  return segmentsOf(text)
    .map((segment) =>
      segment.kind === 'text'
        ? segment.text
        : `\${{ ${inlineExpression(segment.text, contexts)} }}`,
    )
    .join('')
}

/** Throws ExpressionFault for an expression that cannot be read. */
export function inlineContexts(template: Template, contexts: JsonObject): Template {
  if (typeof template === 'string') return inlineText(template, contexts)
  if (isJsonArray(template)) return template.map((item) => inlineContexts(item, contexts))
  if (!isJsonObject(template)) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      isInsert(key) ? key : inlineText(key, contexts),
      inlineContexts(value, contexts),
    ]),
  )
}
