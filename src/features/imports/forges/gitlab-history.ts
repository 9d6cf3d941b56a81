/**
 * What happened to an issue or merge request of GitLab: its resource events
 * (https://docs.gitlab.com/api/resource_label_events and those beside it). Renames, assignments and
 * references have none; they are notes of the system, whose words are those of its source
 * (app/services/system_notes).
 */
import type { Fields } from './fields.ts'
import type { ForeignChange, ForeignEvent, ForeignPerson } from './forge.ts'
import { eventOf } from './shared-records.ts'

type PersonOf = (user: Fields | null) => ForeignPerson | null

export type GitLabHistory = {
  readonly labels: readonly Fields[]
  readonly milestones: readonly Fields[]
  readonly states: readonly Fields[]
  readonly notes: readonly Fields[]
}

const isAdded = (event: Fields): boolean => event.text('action') === 'add'

function labelChange(event: Fields): ForeignChange | null {
  const name = event.object('label')?.optional('name')
  if (!name) return null
  return {
    kind: 'labels',
    added: isAdded(event) ? [name] : [],
    removed: isAdded(event) ? [] : [name],
  }
}

function milestoneChange(event: Fields): ForeignChange | null {
  const title = event.object('milestone')?.optional('title') ?? null
  if (title === null) return null
  return {
    kind: 'milestone',
    from: isAdded(event) ? null : title,
    to: isAdded(event) ? title : null,
  }
}

const STATES: Readonly<Record<string, ForeignChange>> = {
  closed: { kind: 'closed', not_planned: false },
  reopened: { kind: 'reopened' },
  merged: { kind: 'merged', commit: null },
}

const RENAMED = /^changed title from \*\*(.*)\*\* to \*\*(.*)\*\*$/s
const ASSIGNED = /^(assigned to|unassigned) @([\w.-]{1,255})$/
const MENTIONED = /^mentioned in (issue|merge request) ([#!])(\d{1,9})$/
/** GitLab marks what differs between two titles. */
const MARKS = /\{\+|\+\}|\{-|-\}/g

const SIMPLE: Readonly<Record<string, ForeignChange>> = {
  'locked the discussion in this issue': { kind: 'locked' },
  'locked the discussion in this merge request': { kind: 'locked' },
  'unlocked the discussion in this issue': { kind: 'unlocked' },
  'unlocked the discussion in this merge request': { kind: 'unlocked' },
  'marked this merge request as **draft**': { kind: 'draft' },
  'marked this merge request as **ready**': { kind: 'ready' },
}

/** A person that a note names by the username alone. */
const personNamed = (login: string, known: ReadonlyMap<string, ForeignPerson>): ForeignPerson =>
  known.get(login) ?? { id: `login ${login}`, login, name: null, email: null, url: null }

function noteChange(
  note: Fields,
  offset: number,
  known: ReadonlyMap<string, ForeignPerson>,
): ForeignChange | null {
  const text = note.text('body').trim()
  const renamed = RENAMED.exec(text)
  if (renamed)
    return {
      kind: 'title',
      from: (renamed[1] ?? '').replace(MARKS, ''),
      to: (renamed[2] ?? '').replace(MARKS, ''),
    }
  const assigned = ASSIGNED.exec(text)
  if (assigned) {
    const person = personNamed(assigned[2] ?? '', known)
    const isTo = assigned[1] === 'assigned to'
    return { kind: 'assignees', added: isTo ? [person] : [], removed: isTo ? [] : [person] }
  }
  const mentioned = MENTIONED.exec(text)
  if (mentioned)
    return {
      kind: 'referenced',
      by: Number(mentioned[3]) + (mentioned[2] === '!' ? offset : 0),
    }
  return SIMPLE[text] ?? null
}

/** Oldest first. `offset` is added to the numbers of merge requests. */
export function gitlabEvents(
  { labels, milestones, states, notes }: GitLabHistory,
  offset: number,
  personOf: PersonOf,
): ForeignEvent[] {
  const of = (
    kind: string,
    entry: Fields,
    person: ForeignPerson | null,
    change: ForeignChange | null,
  ): ForeignEvent[] =>
    eventOf(`${kind} event ${entry.id('id')}`, person, entry.time('created_at'), change)
  const known = new Map<string, ForeignPerson>()
  for (const entry of [...labels, ...milestones, ...states, ...notes]) {
    const person = personOf(entry.object('user') ?? entry.object('author'))
    if (person !== null) known.set(person.login, person)
  }
  const user = (entry: Fields): ForeignPerson | null => personOf(entry.object('user'))
  return [
    ...labels.flatMap((one) => of('label', one, user(one), labelChange(one))),
    ...milestones.flatMap((one) => of('milestone', one, user(one), milestoneChange(one))),
    ...states.flatMap((one) => of('state', one, user(one), STATES[one.text('state')] ?? null)),
    ...notes
      .filter((note) => note.is('system'))
      .flatMap((note) =>
        of('note', note, personOf(note.object('author')), noteChange(note, offset, known)),
      ),
  ].toSorted((a, b) => a.at_ms - b.at_ms)
}
