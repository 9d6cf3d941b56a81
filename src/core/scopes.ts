/**
 * Scopes limit what a token may do: `<area>:<level>`. Within one area `admin` includes `write`, and
 * `write` includes `read`.
 */

const AREAS: Record<string, readonly string[]> = {
  repo: ['read', 'write', 'admin'],
  code: ['read', 'write'],
  issues: ['read', 'write'],
  pulls: ['read', 'write', 'merge'],
  workflows: ['read', 'write'],
  packages: ['read', 'write', 'admin'],
  secrets: ['read', 'admin'],
  security: ['read', 'write'],
  memory: ['read', 'write'],
  models: ['use'],
  workspace: ['read', 'admin'],
  access: ['read', 'admin'],
  user: ['read', 'write'],
  site: ['admin'],
}

export const SCOPES: readonly string[] = Object.entries(AREAS).flatMap(([area, levels]) =>
  levels.map((level) => `${area}:${level}`),
)

/**
 * What the token of a job has with `statuses: write`: it sets statuses of the commits of its run, and
 * writes no code. Nobody can ask for it.
 */
export const STATUS_SCOPE = 'code:status'

/** Areas that only a person's own token may carry. */
export const PERSONAL_AREAS: ReadonlySet<string> = new Set(['access', 'user', 'site'])

const LEVELS = ['read', 'write', 'admin']

/**
 * Whether a list of scopes holds `wanted`. `pulls:merge` stands alone: nothing else includes it.
 */
export function includesScope(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes(wanted)) return true
  if (wanted === STATUS_SCOPE) return scopes.includes('code:write')
  const [area, level = ''] = wanted.split(':')
  const rank = LEVELS.indexOf(level)
  if (rank < 0) return false
  return LEVELS.slice(rank + 1).some((higher) => scopes.includes(`${area}:${higher}`))
}

/**
 * The first of the wanted scopes (separated by spaces) that a token lacks; null when it has all, or
 * full rights.
 */
export function missingScope(
  scopes: readonly string[] | null,
  wanted: string | null,
): string | null {
  if (scopes === null || wanted === null) return null
  return wanted.split(' ').find((scope) => !includesScope(scopes, scope)) ?? null
}
