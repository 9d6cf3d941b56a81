/** Kinds of memories in forms. */
import { KINDS, type MemoryKind } from '#features/memory/index.ts'
import type { Fields } from '../../site.ts'
import { texts } from '../../text.ts'

export const KIND_LABELS = texts({
  fact: 'Fact',
  convention: 'Convention',
  decision: 'Decision',
  gotcha: 'Pitfall',
} as const)

export const kindOptions = () =>
  Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }))

export const kindOf = (fields: Fields): MemoryKind =>
  KINDS.find((one) => one === fields.text('kind')) ?? 'fact'
