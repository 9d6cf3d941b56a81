import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { writesPatterns } from './access.ts'
import {
  auditedFields,
  auditPattern,
  patternRecord,
  requireName,
  requirePattern,
} from './pattern-record.ts'
import { requireSource } from './pattern-rules.ts'
import { PatternFlags, PatternId, PatternName, PatternSource, SecretPattern } from './schema.ts'
import { setPattern } from './store.ts'

const flag = (given: boolean | undefined, before: 0 | 1): 0 | 1 => {
  if (given === undefined) return before
  return given ? 1 : 0
}

export const updateSecretPattern = operation({
  name: 'update_secret_pattern',
  summary:
    'Change a format of secrets of a repository (Admin or a security manager) or of a workspace (Owner), or turn it on or off; people only. Another expression forgets the test. Answers the pattern.',
  keywords: ['turn on a secret pattern', 'edit a custom pattern', 'disable a secret pattern'],
  route: [
    'PATCH /workspaces/{workspace}/secret-scanning/patterns/{id}',
    'PATCH /repos/{owner}/{name}/secret-scanning/patterns/{id}',
  ],
  toolset: 'security',
  access: writesPatterns,
  input: Type.Object({
    ...ownerInput,
    id: PatternId,
    name: Type.Optional(PatternName),
    pattern: Type.Optional(PatternSource),
    ...PatternFlags,
  }),
  output: SecretPattern,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, workspace, write }, { id, ...input }) => {
    const owner = ownerOf({ repo, workspace })
    const source = input.pattern === undefined ? null : requireSource(input.pattern)
    return write((tx) => {
      const before = requirePattern(tx.db, { repo, workspace }, id)
      const pattern = source ?? before.pattern
      setPattern(tx, id, {
        name: input.name === undefined ? before.name : requireName(tx.db, owner, input.name, id),
        pattern,
        enabled: flag(input.enabled, before.enabled),
        push_protection: flag(input.push_protection, before.push_protection),
        test: pattern === before.pattern ? before.test : null,
      })
      const row = requirePattern(tx.db, { repo, workspace }, id)
      auditPattern(tx, 'updated', row, { before: auditedFields(before), after: auditedFields(row) })
      return patternRecord(hearth, row)
    })
  },
})
