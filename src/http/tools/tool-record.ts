/**
 * Records as tools return them: without what a model does not need. Nulls and pictures are left
 * out, and what a schema says about itself (`toolRecord` of `core/schema.ts`): fields that follow
 * from others, and flags at their usual value. An account is whole where it is first named in an
 * output, and its username alone after that.
 *
 * A plan is computed once from the output schema of an operation. Values without a schema, such as
 * the free-form data of a session entry, stay as they are.
 */
import type { ToolRecord } from '#core/schema.ts'
import type { JsonSchema } from '../shape.ts'

type Json = Record<string, unknown>

export type RecordPlan =
  | { readonly kind: 'array'; readonly items: RecordPlan }
  /** A free-form object that the forge writes itself. */
  | { readonly kind: 'free' }
  | {
      readonly kind: 'object'
      readonly isAccount: boolean
      readonly fields: ReadonlyMap<string, FieldPlan>
    }

type FieldPlan = {
  readonly record: RecordPlan | null
  /** Left out unless it is requested by name. */
  readonly follows: boolean
  /** The value at which it is left out; undefined for none. */
  readonly usual: unknown
  /** The field that it is left out for when both are equal. */
  readonly sameAs: string | null
}

/** Records with these ids name an account: who wrote, merged, is assigned. */
const ACCOUNT_SCHEMAS: ReadonlySet<unknown> = new Set(['Actor', 'Assignee'])
/** Pictures are addresses that no tool can use. */
const PICTURE = 'avatar_url'
/** The page of a record. It stays where the output is that record, so that it can be passed on. */
const PAGE = 'html_url'

const toolRecordOf = (schema: JsonSchema): ToolRecord =>
  (schema['x-tool-record'] ?? {}) as ToolRecord

const branchesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  schema.anyOf ? schema.anyOf.flatMap(branchesOf) : [schema]

/** Null for a schema without named fields. `isTop` tells that it is the output of an operation. */
export function recordPlanOf(schema: JsonSchema, isTop = false): RecordPlan | null {
  const fields = new Map<string, FieldPlan>()
  const branches = branchesOf(schema)
  for (const branch of branches) {
    const items = branch.items ? recordPlanOf(branch.items) : null
    if (items) return { kind: 'array', items }
    if (toolRecordOf(branch).omitNulls) return { kind: 'free' }
    for (const [name, field] of fieldsOf(branch, isTop))
      if (!fields.has(name)) fields.set(name, field)
  }
  const isAccount = branches.some(({ $id }) => ACCOUNT_SCHEMAS.has($id))
  return fields.size === 0 ? null : { kind: 'object', isAccount, fields }
}

function fieldsOf(schema: JsonSchema, isTop: boolean): [string, FieldPlan][] {
  const { follows = [], usual = {}, same = {} } = toolRecordOf(schema)
  const properties = schema.properties ?? {}
  const unknown = [...follows, ...Object.keys(usual), ...Object.entries(same).flat()].find(
    (name) => !(name in properties),
  )
  if (unknown !== undefined)
    throw new TypeError(`${String(schema.$id)} leaves out ${unknown}, which it does not have`)
  return Object.entries(properties).map(([name, property]) => [
    name,
    {
      record: recordPlanOf(property),
      follows: name === PICTURE || (name === PAGE && !isTop) || follows.includes(name),
      usual: usual[name],
      sameAs: same[name] ?? null,
    },
  ])
}

const NONE: ReadonlySet<string> = new Set([])

/** A value without what its plan leaves out. Fields in `requested` of the value itself stay. */
export function compactRecord(
  plan: RecordPlan | null,
  value: unknown,
  named: Set<unknown>,
  requested: ReadonlySet<string> = NONE,
): unknown {
  if (plan === null || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return plan.kind === 'array'
      ? value.map((item) => compactRecord(plan.items, item, named))
      : value
  if (plan.kind === 'array') return value
  const record = value as Json
  if (plan.kind === 'free')
    return Object.fromEntries(Object.entries(record).filter(([, inner]) => inner !== null))
  if (plan.isAccount) {
    if (named.has(record.id)) return { username: record.username }
    named.add(record.id)
  }
  const compact: Json = {}
  for (const name of Object.keys(record)) {
    const field = plan.fields.get(name)
    const inner = record[name]
    if (requested.has(name) || !field) {
      compact[name] = inner
      continue
    }
    if (inner === null || field.follows) continue
    if (field.sameAs !== null && Bun.deepEquals(inner, record[field.sameAs])) continue
    const shown = compactRecord(field.record, inner, named)
    if (field.usual === undefined || !Bun.deepEquals(shown, field.usual)) compact[name] = shown
  }
  return compact
}
