/** What a timeline of Gitea says (`/issues/N/timeline`; the types are those of its models/issues). */
import type { Fields } from './fields.ts'
import type { ForeignChange, ForeignEvent, ForeignPerson } from './forge.ts'
import { eventOf } from './shared-records.ts'

type PersonOf = (user: Fields | null) => ForeignPerson | null

const SIMPLE: Readonly<Record<string, ForeignChange>> = {
  close: { kind: 'closed', not_planned: false },
  reopen: { kind: 'reopened' },
  lock: { kind: 'locked' },
  unlock: { kind: 'unlocked' },
}

const NAMED = new Set(['issue_ref', 'comment_ref', 'pull_ref'])

function changeOf(entry: Fields, home: string, personOf: PersonOf): ForeignChange | null {
  const type = entry.text('type')
  switch (type) {
    case 'label': {
      const name = entry.object('label')?.optional('name')
      if (!name) return null
      // The text of the entry says whether it was added.
      const isAdded = entry.text('body') === '1'
      return { kind: 'labels', added: isAdded ? [name] : [], removed: isAdded ? [] : [name] }
    }
    case 'assignees': {
      const person = personOf(entry.object('assignee'))
      if (person === null) return null
      const isRemoved = entry.is('removed_assignee')
      return {
        kind: 'assignees',
        added: isRemoved ? [] : [person],
        removed: isRemoved ? [person] : [],
      }
    }
    case 'milestone':
      return {
        kind: 'milestone',
        from: entry.object('old_milestone')?.optional('title') ?? null,
        to: entry.object('milestone')?.optional('title') ?? null,
      }
    case 'change_title':
      return { kind: 'title', from: entry.text('old_title'), to: entry.text('new_title') }
    case 'change_target_branch':
      return { kind: 'base', from: entry.optional('old_ref'), to: entry.optional('new_ref') }
    case 'merge_pull':
      return { kind: 'merged', commit: entry.optional('ref_commit_sha') }
    default:
      return NAMED.has(type) ? referenceOf(entry, home) : (SIMPLE[type] ?? null)
  }
}

/** Records of other repositories are not imported with this one. */
function referenceOf(entry: Fields, home: string): ForeignChange | null {
  const record = entry.object('ref_issue')
  const number = record?.integer('number') ?? null
  const of = record?.object('repository')?.text('full_name').toLowerCase()
  return number === null || of !== home.toLowerCase() ? null : { kind: 'referenced', by: number }
}

/** `home` is the full name of the repository there. */
export const giteaEvents = (
  entries: readonly Fields[],
  home: string,
  personOf: PersonOf,
): ForeignEvent[] =>
  entries.flatMap((entry) =>
    eventOf(
      `event ${entry.id('id')}`,
      personOf(entry.object('user')),
      entry.time('created_at'),
      changeOf(entry, home, personOf),
    ),
  )
