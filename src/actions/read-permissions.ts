/** What a file says after `permissions`. */
import { entriesOf, textOf, type YamlNode } from './document.ts'
import type { Findings } from './faults.ts'
import { PERMISSION_LEVELS, type PermissionLevel, type Permissions } from './model.ts'
import { PERMISSION_SCOPES } from './permissions.ts'

export function readPermissions(
  node: YamlNode | undefined,
  findings: Findings,
): Permissions | null {
  if (!node) return null
  if (node.kind === 'scalar') {
    const text = textOf(node)
    return text === 'read-all' || text === 'write-all'
      ? { all: text === 'write-all' ? 'write' : 'read' }
      : null
  }
  const scopes = entriesOf(node).map(({ key, at, value }): [string, PermissionLevel] => {
    if (!PERMISSION_SCOPES.some((scope) => scope === key))
      findings.warn(at, `The permission ${key} grants nothing here`)
    return [key, levelOf(textOf(value))]
  })
  return { scopes: Object.fromEntries(scopes) }
}

const levelOf = (text: string | null): PermissionLevel =>
  PERMISSION_LEVELS.find((level) => level === text) ?? 'none'
