import { eitherAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import {
  auditedFields,
  ownerInput,
  ownerOf,
  requireRuleset,
  RulesetId,
  recordChange,
} from './ruleset-record.ts'
import { removeRuleset } from './store.ts'

export const deleteRuleset = operation({
  name: 'delete_ruleset',
  summary:
    'Delete a ruleset of a workspace (Owner) or of a repository (Admin); people only. Its rules end at once; what came of them stays to be read.',
  keywords: ['remove branch protection', 'remove rules', 'unprotect'],
  route: [
    'DELETE /workspaces/{workspace}/rulesets/{id}',
    'DELETE /repos/{owner}/{name}/rulesets/{id}',
  ],
  toolset: 'access',
  access: eitherAs('admin', 'owner', {
    scope: 'repo:admin',
    workspaceScope: 'workspace:admin',
    person: true,
    writes: true,
  }),
  input: Type.Object({ ...ownerInput, id: RulesetId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ hearth, repo, workspace, write }, { id }) => {
    const owner = ownerOf({ repo, workspace })
    return write((tx) => {
      const row = requireRuleset(tx.db, owner, id)
      const before = auditedFields(hearth, row)
      removeRuleset(tx, row.id)
      recordChange(tx, owner, 'deleted', row, { before })
      return null
    })
  },
})
