/** What a timeline of GitHub says (https://docs.github.com/en/rest/using-the-rest-api/issue-event-types). */
import type { Fields } from './fields.ts'
import type { ForeignChange, ForeignEvent, ForeignPerson } from './forge.ts'
import { eventOf } from './shared-records.ts'

type PersonOf = (user: Fields | null) => ForeignPerson | null

const SIMPLE: Readonly<Record<string, ForeignChange>> = {
  reopened: { kind: 'reopened' },
  locked: { kind: 'locked' },
  unlocked: { kind: 'unlocked' },
  ready_for_review: { kind: 'ready' },
  convert_to_draft: { kind: 'draft' },
}

function changeOf(entry: Fields, home: string, personOf: PersonOf): ForeignChange | null {
  const event = entry.text('event')
  switch (event) {
    case 'labeled':
    case 'unlabeled': {
      const name = entry.object('label')?.optional('name')
      if (!name) return null
      const isAdded = event === 'labeled'
      return { kind: 'labels', added: isAdded ? [name] : [], removed: isAdded ? [] : [name] }
    }
    case 'assigned':
    case 'unassigned': {
      const person = personOf(entry.object('assignee'))
      if (person === null) return null
      const isAdded = event === 'assigned'
      return { kind: 'assignees', added: isAdded ? [person] : [], removed: isAdded ? [] : [person] }
    }
    case 'milestoned':
    case 'demilestoned': {
      const title = entry.object('milestone')?.optional('title') ?? null
      const isAdded = event === 'milestoned'
      return { kind: 'milestone', from: isAdded ? null : title, to: isAdded ? title : null }
    }
    case 'renamed': {
      const rename = entry.object('rename')
      return { kind: 'title', from: rename?.text('from') ?? '', to: rename?.text('to') ?? '' }
    }
    case 'closed':
      return { kind: 'closed', not_planned: entry.text('state_reason') === 'not_planned' }
    case 'merged':
      return { kind: 'merged', commit: entry.optional('commit_id') }
    case 'cross-referenced':
      return referenceOf(entry, home)
    default:
      return SIMPLE[event] ?? null
  }
}

/** Records of other repositories are not imported with this one. */
function referenceOf(entry: Fields, home: string): ForeignChange | null {
  const record = entry.object('source')?.object('issue')
  const number = record?.integer('number') ?? null
  const of = record?.object('repository')?.text('full_name').toLowerCase()
  return number === null || of !== home.toLowerCase() ? null : { kind: 'referenced', by: number }
}

/** A reference has no id of its own there. */
const idOf = (entry: Fields, number: number): string => {
  const source = entry.object('source')?.object('issue')?.id('id') ?? ''
  return entry.id('id') === ''
    ? `reference ${number} ${source} ${entry.text('created_at')}`
    : `event ${entry.id('id')}`
}

/** `home` is the full name of the repository there, `number` that of the record. */
export const githubEvents = (
  entries: readonly Fields[],
  home: string,
  number: number,
  personOf: PersonOf,
): ForeignEvent[] =>
  entries.flatMap((entry) =>
    eventOf(
      idOf(entry, number),
      personOf(entry.object('actor')),
      entry.time('created_at'),
      changeOf(entry, home, personOf),
    ),
  )
