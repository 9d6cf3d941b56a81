import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { readsPatterns } from './access.ts'
import { patternRecord, requirePattern } from './pattern-record.ts'
import { PatternId, SecretPattern } from './schema.ts'

export const getSecretPattern = operation({
  name: 'get_secret_pattern',
  summary:
    'Get one format of secrets of a repository (Admin or a security manager) or of a workspace (Owner), with its last test.',
  keywords: ['result of the test of a pattern', 'custom secret pattern'],
  route: [
    'GET /workspaces/{workspace}/secret-scanning/patterns/{id}',
    'GET /repos/{owner}/{name}/secret-scanning/patterns/{id}',
  ],
  toolset: 'security',
  access: readsPatterns,
  input: Type.Object({ ...ownerInput, id: PatternId }),
  output: SecretPattern,

  handler: ({ hearth, db, repo, workspace }, { id }) =>
    patternRecord(hearth, requirePattern(db, { repo, workspace }, id)),
})
