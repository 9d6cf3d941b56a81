import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { requireLabel } from '../require-records.ts'
import { LabelName } from '../inputs.ts'
import { removeLabel } from './store-labels.ts'

export const deleteLabel = operation({
  name: 'delete_label',
  summary: 'Delete a label and take it off every issue and pull request. Needs Triage.',
  keywords: ['remove a label for good'],
  route: 'DELETE /repos/{owner}/{name}/labels/{label}',
  toolset: 'issues',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, label: LabelName }),
  output: Nothing,
  status: 204,

  handler: ({ repo, write }, { label }) =>
    write((tx) => {
      removeLabel(tx, requireLabel(tx.db, repo.id, label).id)
      return null
    }),
})
