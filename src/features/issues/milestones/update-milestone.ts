import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { requireMilestone } from '../require-records.ts'
import { MilestoneId } from '../inputs.ts'
import {
  DueOn,
  dueOn,
  MilestoneDescription,
  milestoneRecord,
  MilestoneTitle,
} from './milestone-record.ts'
import { ISSUE_STATES, Milestone } from '../schema.ts'
import { findMilestoneByTitle, setMilestone } from './store-milestones.ts'
import { manyLines, oneLine } from '../text.ts'

export const updateMilestone = operation({
  name: 'update_milestone',
  summary:
    'Change a milestone, or close or reopen it with state; its issues stay as they are. Needs Triage. The answer is the milestone.',
  keywords: ['close a milestone', 'change the due date', 'rename a milestone'],
  route: 'PATCH /repos/{owner}/{name}/milestones/{id}',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    id: MilestoneId,
    title: Type.Optional(MilestoneTitle),
    description: Type.Optional(MilestoneDescription),
    due_on: Type.Optional(DueOn),
    state: Type.Optional(OneOf(ISSUE_STATES)),
  }),
  output: Milestone,

  handler: ({ repo, write }, { id, state, ...input }) => {
    const title = input.title === undefined ? undefined : oneLine('title', input.title)
    const description =
      input.description === undefined
        ? undefined
        : manyLines('description', input.description ?? '') || null
    const due_on = input.due_on === undefined ? undefined : dueOn(input.due_on)
    return write((tx) => {
      const row = requireMilestone(tx.db, repo.id, id)
      const taken = title === undefined ? null : findMilestoneByTitle(tx.db, repo.id, title)
      if (taken && taken.id !== id)
        throw conflict(
          'already_exists',
          `there is a milestone ${JSON.stringify(taken.title)} already`,
        )
      const next = state ?? row.state
      setMilestone(tx, {
        id,
        title: title ?? row.title,
        description: description === undefined ? row.description : description,
        due_on: due_on === undefined ? row.due_on : due_on,
        state: next,
        closed_at: next === 'open' ? null : (row.closed_at ?? tx.now),
      })
      return milestoneRecord(requireMilestone(tx.db, repo.id, id))
    })
  },
})
