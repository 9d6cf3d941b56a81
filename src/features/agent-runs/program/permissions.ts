/** What a program may do inside its box without asking a person. */
import { arrayOf, objectOf, textOf } from '#lib/json-value.ts'
import type { Json } from './connection.ts'

export type PermissionPolicy = 'auto' | 'ask_execute' | 'ask_all'

type Option = { readonly id: string; readonly kind: string; readonly name: string }

const optionsOf = ({ options }: Json): Option[] =>
  arrayOf(options).flatMap((one) => {
    const { optionId, kind, name } = objectOf(one)
    const id = textOf(optionId)
    return id === null ? [] : [{ id, kind: textOf(kind) ?? '', name: textOf(name) ?? '' }]
  })

const MAX_WISH_CHARS = 1_000

/** A text that is cut says so: what it ends with may be the dangerous part. */
function cutWish(text: string): string {
  const left = text.length - MAX_WISH_CHARS
  return left <= 0 ? text : `${text.slice(0, MAX_WISH_CHARS)}… (${left} more characters)`
}

/** What is asked for, and whether it runs a command. */
export function wishOf({ toolCall }: Json): { title: string; isExecute: boolean } {
  const { title, kind, rawInput } = objectOf(toolCall)
  const { command } = objectOf(rawInput)
  const text = textOf(command) ?? (Array.isArray(command) ? command.join(' ') : null)
  // What has no kind may be a command.
  const isExecute = kind !== 'edit' && kind !== 'read' && kind !== 'search' && kind !== 'think'
  return { title: cutWish(text ?? textOf(title) ?? 'go on'), isExecute }
}

export const mustAsk = (policy: PermissionPolicy, params: Json): boolean =>
  policy === 'ask_all' || (policy === 'ask_execute' && wishOf(params).isExecute)

const selected = ({ id }: Option) => ({ outcome: { outcome: 'selected', optionId: id } })
export const CANCELLED = { outcome: { outcome: 'cancelled' } } as const

/** Allows it this once; never for always, because the policy may change. */
export function allow(params: Json): unknown {
  const options = optionsOf(params)
  const once = options.find(({ kind }) => kind === 'allow_once')
  return once ? selected(once) : CANCELLED
}

export function reject(params: Json): unknown {
  const options = optionsOf(params)
  const no = options.find(({ kind }) => kind === 'reject_once')
  return no ? selected(no) : CANCELLED
}
