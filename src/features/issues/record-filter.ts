/** The filters that lists of issues and of pull requests share: their inputs, and what they name. */
import type { Db } from '#core/db.ts'
import { OneOf, Type } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { findLabel } from './labels/store-labels.ts'
import { milestoneId } from './require-records.ts'
import {
  RECORD_LACKS,
  RECORD_SORTS,
  SORT_DIRECTIONS,
  type RecordLack,
  type RecordSort,
  type SortDirection,
} from './schema.ts'
import { searchWords, type RecordFilter } from './store-record-list.ts'

const Username = Type.String({ minLength: 1, maxLength: 120, description: 'A username.' })

/** One name, several names separated by commas, or an array. */
const Labels = Type.Union(
  [Type.String({ maxLength: 1000 }), Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })],
  { description: 'Labels that must all be on it.' },
)

/** Inputs of both lists. */
export const recordFilterInputs = {
  label: Type.Optional(Labels),
  assignee: Type.Optional(Username),
  milestone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'The id or title of a milestone.' }),
  ),
  without: Type.Optional(
    Type.Array(OneOf(RECORD_LACKS), { maxItems: 3, description: 'What it lacks.' }),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that title and body must have.' }),
  ),
  sort: Type.Optional(OneOf(RECORD_SORTS, { default: 'created' })),
  direction: Type.Optional(OneOf(SORT_DIRECTIONS, { default: 'desc' })),
}

export type RecordFilterInput = {
  label?: string | readonly string[]
  assignee?: string
  author?: string
  milestone?: string
  without?: readonly RecordLack[]
  q?: string
  sort?: RecordSort
  direction?: SortDirection
}

/** The filter that the inputs describe. Null when they name something that does not exist. */
export function resolveRecordFilter(
  db: Db,
  repo_id: string,
  {
    label = [],
    assignee,
    author,
    milestone,
    without = [],
    q,
    sort = 'created',
    direction = 'desc',
  }: RecordFilterInput,
): Omit<RecordFilter, 'kind' | 'state' | 'joined'> | null {
  const labels = (typeof label === 'string' ? [label] : label)
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => findLabel(db, repo_id, name))
  const people = (username: string | undefined) =>
    username === undefined ? null : listActorIds(db, username)
  const assignee_ids = people(assignee)
  const author_ids = people(author)
  const milestone_id = milestone === undefined ? null : milestoneId(db, repo_id, milestone)
  const words = q === undefined || q.trim() === '' ? null : searchWords(q)
  const nothing = [assignee_ids, author_ids, words].some((wanted) => wanted?.length === 0)
  if (nothing || labels.includes(null) || (milestone !== undefined && milestone_id === null))
    return null
  const rarestFirst = labels
    .filter((row) => row !== null)
    .sort((a, b) => a.issues_count - b.issues_count)
  const label_ids = [...new Set(rarestFirst.map((row) => row.id))]
  return {
    repo_id,
    label_ids,
    assignee_ids,
    author_ids,
    milestone_id,
    without,
    words,
    sort,
    direction,
  }
}
