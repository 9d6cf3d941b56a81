import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { requireMilestone } from '../require-records.ts'
import { MilestoneId } from '../inputs.ts'
import { removeMilestone } from './store-milestones.ts'

export const deleteMilestone = operation({
  name: 'delete_milestone',
  summary: 'Delete a milestone; its issues stay, without one. Needs Triage.',
  keywords: ['remove a milestone', 'remove a sprint'],
  route: 'DELETE /repos/{owner}/{name}/milestones/{id}',
  toolset: 'issues',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, id: MilestoneId }),
  output: Nothing,
  status: 204,

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      removeMilestone(tx, requireMilestone(tx.db, repo.id, id).id)
      return null
    }),
})
