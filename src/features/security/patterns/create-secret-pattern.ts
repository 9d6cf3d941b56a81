import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { writesPatterns } from './access.ts'
import {
  auditedFields,
  auditPattern,
  patternRecord,
  requireName,
  requirePattern,
} from './pattern-record.ts'
import { requireSource } from './pattern-rules.ts'
import { PatternFlags, PatternName, PatternSource, SecretPattern } from './schema.ts'
import { countPatterns, insertPattern } from './store.ts'

/** All of them are matched against each push. */
const MAX_PATTERNS = 50

export const createSecretPattern = operation({
  name: 'create_secret_pattern',
  summary:
    'Add a format of secrets to a repository (Admin or a security manager) or to all repositories of a workspace (Owner); people only. It is off unless enabled: test it first. Answers the pattern.',
  keywords: ['custom secret pattern', 'look for our own keys', 'own token format'],
  route: [
    'POST /workspaces/{workspace}/secret-scanning/patterns',
    'POST /repos/{owner}/{name}/secret-scanning/patterns',
  ],
  toolset: 'security',
  access: writesPatterns,
  input: Type.Object({
    ...ownerInput,
    name: PatternName,
    pattern: PatternSource,
    ...PatternFlags,
  }),
  output: SecretPattern,
  status: 201,

  handler: ({ hearth, repo, workspace, caller, write }, input) => {
    const owner = ownerOf({ repo, workspace })
    const pattern = requireSource(input.pattern)
    return write((tx) => {
      if (countPatterns(tx.db, owner) >= MAX_PATTERNS)
        throw conflict('limit_reached', `there are ${MAX_PATTERNS} patterns already`, {
          limit: MAX_PATTERNS,
        })
      const id = typeId('spt', tx.now_ms)
      insertPattern(tx, {
        ...owner,
        id,
        name: requireName(tx.db, owner, input.name, id),
        pattern,
        enabled: input.enabled ? 1 : 0,
        push_protection: input.push_protection ? 1 : 0,
        created_by: caller.id,
      })
      const row = requirePattern(tx.db, { repo, workspace }, id)
      auditPattern(tx, 'created', row, { after: auditedFields(row) })
      return patternRecord(hearth, row)
    })
  },
})
