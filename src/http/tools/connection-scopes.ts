/** The scopes that a client of the tool server requests when it signs a user in. */
import type { Hearth } from '#core/hearth.ts'
import { SCOPES } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { isListed, type Selection, selectionOf } from './tool-selection.ts'

/** All but those of the site, which no agent should have by default. */
const CLIENT_SCOPES: readonly string[] = SCOPES.filter((scope) => !scope.startsWith('site:'))

export type ConnectionScopes = {
  readonly readonly: boolean
  readonly scopes: readonly string[]
}

/**
 * The scopes for one address of the tool server: those of the listed tools when the connection only
 * reads, else all. The default tools and `all` request read scopes alone, although a few of their
 * reads need more (webhooks: repo:admin), because those scopes also allow changes.
 */
export function connectionScopes(hearth: Hearth, path: string, query: string): ConnectionScopes {
  const selection = selectionOrNull(hearth, path, query)
  if (!selection?.readonly) return { readonly: false, scopes: CLIENT_SCOPES }
  const isBroad = selection.sets === null || selection.sets.has('all')
  const needed = new Set(
    hearth.operations
      .filter((operation) => isListed(selection, operation))
      .flatMap(({ access }) => [access.scope, access.workspaceScope])
      .flatMap((scopes) => scopes?.split(' ') ?? []),
  )
  return {
    readonly: true,
    scopes: CLIENT_SCOPES.filter(
      (scope) => needed.has(scope) && (!isBroad || scope.endsWith(':read')),
    ),
  }
}

/** Null for an address that the tool server refuses. */
function selectionOrNull(hearth: Hearth, path: string, query: string): Selection | null {
  try {
    return selectionOf(path, query, null, hearth.operations)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
