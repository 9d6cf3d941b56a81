/** Scopes as OAuth writes them: words separated by spaces. */
import { includesScope, SCOPES } from '#core/scopes.ts'
import { oauthError } from './errors.ts'

/**
 * Null, which stands for full rights, when none is named. Gives `invalid_scope` for an unknown one.
 */
export function readScope(text: string | undefined): string[] | null {
  const names = [...new Set((text ?? '').split(' ').filter((name) => name !== ''))]
  const unknown = names.find((name) => !SCOPES.includes(name))
  if (unknown !== undefined)
    throw oauthError('invalid_scope', `there is no scope ${unknown.slice(0, 60)}`)
  return names.length === 0 ? null : names
}

export const writeScope = (scopes: readonly string[] | null): string => (scopes ?? SCOPES).join(' ')

/** Whether everything in `wanted` is within `held`; null is full rights on either side. */
export const isWithin = (
  wanted: readonly string[] | null,
  held: readonly string[] | null,
): boolean =>
  held === null || (wanted !== null && wanted.every((scope) => includesScope(held, scope)))
