/** What tools return: the output of an operation, shortened as the caller requested. */
import { isObject } from '#lib/json-value.ts'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Refusal } from '#lib/errors.ts'
import {
  byKey,
  byPageNumber,
  type Continue,
  cutAnswer,
  listItem,
  pointsInto,
} from './tool-answer.ts'
import type { ToolPlan } from './tool-plan.ts'
import { compactRecord } from './tool-record.ts'

type Json = Record<string, unknown>

/** What a tool returns, with its text, which is rendered once. */
export class ToolOutput {
  #text: string | null = null

  constructor(readonly value: Json) {}

  get text(): string {
    return (this.#text ??= JSON.stringify(this.value))
  }
}

export type PageRequest = {
  readonly page: number
  readonly size: number
  readonly defaultSize: number
}

export type Shaping = {
  /** Leaves every field and the full length. */
  readonly isWhole: boolean
  readonly maxChars: number
  readonly fields: readonly string[] | null
  readonly page: PageRequest | null
  readonly untrusted: readonly string[]
}

/** The output as the caller requested it, with pointers to the untrusted text that is left. */
export function shapeOutput(plan: ToolPlan, output: unknown, shaping: Shaping): Json {
  const { isWhole, maxChars, page, untrusted } = shaping
  const value = shapeRecords(plan, output, shaping)
  const cut = isWhole ? value : cutAnswer(value, maxChars, continuationOf(plan, page, output))
  const pointers = Array.isArray(output)
    ? untrusted.map((pointer) => `/items${pointer}`)
    : untrusted
  const remaining = pointers.filter((pointer) => pointsInto(cut, pointer))
  return remaining.length > 0 ? { ...cut, _untrusted: remaining } : cut
}

function shapeRecords(plan: ToolPlan, output: unknown, { isWhole, fields, page }: Shaping): Json {
  if (isWhole) return asObject(output)
  const named = new Set<unknown>()
  if (!plan.isList) return asObject(compactRecord(plan.record, output, named))
  const value = asObject(output)
  const requested = new Set(fields)
  value.items = (value.items as unknown[]).map((item) =>
    compactRecord(plan.record, listItem(item, fields), named, requested),
  )
  // Only the cursor comes back, so it must carry a size that is not the default.
  const { next } = value
  if (typeof next === 'string' && page && page.size !== page.defaultSize)
    value.next = `${next}x${page.size}`
  return value
}

function asObject(output: unknown): Json {
  if (isObject(output)) return { ...output }
  return Array.isArray(output) ? { items: output, next: null } : {}
}

/**
 * How a list that is cut short goes on; null for an operation that is no list. The keys are those of
 * the whole records, because narrowed ones may lack them.
 */
function continuationOf(
  { operation }: ToolPlan,
  page: PageRequest | null,
  output: unknown,
): Continue | null {
  const key = operation.list === 'before' ? 'id' : operation.list === 'after' ? 'seq' : null
  if (key === null) return page ? byPageNumber(page.page, page.size) : null
  const items = isObject(output) && Array.isArray(output.items) ? output.items : []
  return (fitting) => byKey(key)(fitting, items)
}

export const successResult = ({ value, text }: ToolOutput): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: value,
})

export const errorResult = (refusal: Refusal, id: string): CallToolResult => ({
  ...successResult(new ToolOutput(refusal.body(id))),
  isError: true,
})
