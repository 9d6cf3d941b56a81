/** What a change replaced, for the timelines of issues and pull requests. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Type, type Static } from '#core/schema.ts'
import { usernamesOf } from './assignees/assignable.ts'
import { assigneeIdsOf } from './assignees/store-assignees.ts'
import { labelsOf } from './labels/store-labels.ts'
import { milestonesById } from './milestones/store-milestones.ts'
import { findRecord } from './store-records.ts'

const Values = Type.Array(Type.String())

/** In the data of events: the values of short fields before and after, by field. */
export const ChangedValues = Type.Optional(
  Type.Record(Type.String(), Type.Object({ from: Values, to: Values }), {
    description: 'What short fields (title, labels, milestone, …) were and are.',
  }),
)
export type ChangedValues = Static<typeof ChangedValues> | undefined

export type FieldValues = Readonly<Record<string, readonly string[]>>

/** The present title, labels, milestone and assignees of an issue or pull request. */
export function fieldValues(hearth: Hearth, db: Db, repo_id: string, number: number): FieldValues {
  const record = findRecord(db, repo_id, number)
  const milestones = record?.milestone_id ? milestonesById(db, [record.milestone_id]) : []
  return {
    title: record ? [record.title] : [],
    labels: labelsOf(db, repo_id, number),
    milestone: milestones.map(({ title }) => title),
    assignees: usernamesOf(hearth, assigneeIdsOf(db, repo_id, number)),
  }
}

/** The fields that differ, each without the values that stayed. Undefined when none does. */
export function changedValues(before: FieldValues, after: FieldValues): ChangedValues {
  const changed: NonNullable<ChangedValues> = {}
  for (const [field, now] of Object.entries(after)) {
    const earlier = before[field] ?? []
    const from = earlier.filter((value) => !now.includes(value))
    const to = now.filter((value) => !earlier.includes(value))
    if (from.length + to.length > 0) changed[field] = { from, to }
  }
  return Object.keys(changed).length === 0 ? undefined : changed
}
