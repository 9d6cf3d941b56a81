/** Reading JSON of unknown shape: what has another type counts as absent. */
import type { JsonObject } from '#lib/json-value.ts'

export type Json = JsonObject

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** A whole number from 0; null for anything else. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
