import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Nothing, Type } from '#core/schema.ts'
import { writesPatterns } from './access.ts'
import { auditedFields, auditPattern, requirePattern } from './pattern-record.ts'
import { PatternId } from './schema.ts'
import { removePattern } from './store.ts'

export const deleteSecretPattern = operation({
  name: 'delete_secret_pattern',
  summary:
    'Delete a format of secrets of a repository (Admin or a security manager) or of a workspace (Owner); people only. Its alerts stay. The answer is empty.',
  keywords: ['remove a custom pattern'],
  route: [
    'DELETE /workspaces/{workspace}/secret-scanning/patterns/{id}',
    'DELETE /repos/{owner}/{name}/secret-scanning/patterns/{id}',
  ],
  toolset: 'security',
  access: writesPatterns,
  input: Type.Object({ ...ownerInput, id: PatternId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, workspace, write }, { id }) =>
    write((tx) => {
      const row = requirePattern(tx.db, { repo, workspace }, id)
      auditPattern(tx, 'deleted', row, { before: auditedFields(row) })
      removePattern(tx, id)
      return null
    }),
})
