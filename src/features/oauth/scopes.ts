/** Scopes in OAuth's notation: words separated by spaces. */
import { includesScope, SCOPES } from '#core/scopes.ts'
import { oauthError } from './errors.ts'

/** Null (full rights) when no scope is named. Throws `invalid_scope` for an unknown one. */
export function parseScopes(text: string | undefined): string[] | null {
  const names = [...new Set((text ?? '').split(' ').filter((name) => name !== ''))]
  const unknown = names.find((name) => !SCOPES.includes(name))
  if (unknown !== undefined)
    throw oauthError('invalid_scope', `there is no scope ${unknown.slice(0, 60)}`)
  return names.length === 0 ? null : names
}

export const formatScopes = (scopes: readonly string[] | null): string =>
  (scopes ?? SCOPES).join(' ')

/** Whether `held` includes everything in `wanted`. Null means full rights on either side. */
export const areScopesWithin = (
  wanted: readonly string[] | null,
  held: readonly string[] | null,
): boolean => held === null || (wanted?.every((scope) => includesScope(held, scope)) ?? false)
