import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { refuseFork, requireMilestone } from '../require-records.ts'
import {
  DueOn,
  dueOn,
  MilestoneDescription,
  milestoneRecord,
  MilestoneTitle,
} from './milestone-record.ts'
import { Milestone } from '../schema.ts'
import { findMilestoneByTitle, insertMilestone } from './store-milestones.ts'
import { manyLines, oneLine } from '../text.ts'

export const createMilestone = operation({
  name: 'create_milestone',
  summary:
    'Make a milestone, a goal to group issues under, with an optional date. Needs Triage. The answer is the milestone.',
  keywords: ['new milestone', 'plan a goal', 'deadline', 'sprint', 'due date'],
  route: 'POST /repos/{owner}/{name}/milestones',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('triage', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    title: MilestoneTitle,
    description: Type.Optional(MilestoneDescription),
    due_on: Type.Optional(DueOn),
  }),
  output: Milestone,
  status: 201,

  handler: ({ repo, write }, input) => {
    refuseFork(repo)
    const title = oneLine('title', input.title)
    const description = manyLines('description', input.description ?? '') || null
    const due_on = dueOn(input.due_on ?? null)
    return write((tx) => {
      if (findMilestoneByTitle(tx.db, repo.id, title))
        throw conflict('already_exists', `there is a milestone ${JSON.stringify(title)} already`)
      const id = typeId('mls', tx.now_ms)
      insertMilestone(tx, { id, repo_id: repo.id, title, description, due_on })
      return milestoneRecord(requireMilestone(tx.db, repo.id, id))
    })
  },
})
