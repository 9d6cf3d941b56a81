/** Which events of the dialect, with which activity, an event of the forge is. */
import type { EventRow } from '#core/events.ts'
import type { EventName, JsonObject } from '#actions'

export type NamedEvent = {
  readonly name: EventName
  /** The activity, such as `opened`. */
  readonly action: string | null
  /** What the payload has for this activity alone. */
  readonly extra?: JsonObject
}

type Event = Pick<EventRow, 'type' | 'data'>
type Values = Readonly<
  Record<string, { readonly from: readonly string[]; readonly to: readonly string[] }>
>

/** The activities of a change: each label that was added or removed is one. */
function changesOf(name: EventName, { data }: Event): NamedEvent[] {
  const changed = data.changed as readonly string[]
  const { labels } = (data.values ?? {}) as Values
  const ofLabels = (action: string, names: readonly string[] = []): NamedEvent[] =>
    names.map((label) => ({ name, action, extra: { label: { name: label } } }))
  const has = (...fields: readonly string[]): boolean =>
    fields.some((field) => changed.includes(field))
  return [
    ...ofLabels('labeled', labels?.to),
    ...ofLabels('unlabeled', labels?.from),
    ...(has('title', 'body', 'base') ? [{ name, action: 'edited' }] : []),
    ...(has('milestone') ? [{ name, action: 'milestoned' }] : []),
  ]
}

/** The activities of a pull request that an event is about. */
export function pullActions(event: Event, name: EventName = 'pull_request'): NamedEvent[] {
  switch (event.type) {
    case 'pull.opened':
      return [{ name, action: 'opened' }]
    case 'pull.ready':
      return [{ name, action: 'ready_for_review' }]
    case 'pull.closed':
    case 'pull.merged':
      return [{ name, action: 'closed' }]
    case 'pull.updated': {
      const changed = event.data.changed as readonly string[]
      if (changed.includes('head')) return [{ name, action: 'synchronize' }]
      if (changed.includes('status')) return [{ name, action: 'reopened' }]
      return changesOf(name, event)
    }
    default:
      return []
  }
}

export function issueActions(event: Event): NamedEvent[] {
  const name = 'issues'
  switch (event.type) {
    case 'issue.opened':
      return [{ name, action: 'opened' }]
    case 'issue.closed':
      return [{ name, action: 'closed' }]
    case 'issue.reopened':
      return [{ name, action: 'reopened' }]
    case 'issue.assigned': {
      const { assignees } = (event.data.values ?? {}) as Values
      const of = (action: string, people: readonly string[] = []): NamedEvent[] =>
        people.map((login) => ({ name, action, extra: { assignee: { login } } }))
      return [...of('assigned', assignees?.to), ...of('unassigned', assignees?.from)]
    }
    case 'issue.updated':
      return changesOf(name, event)
    default:
      return []
  }
}

/** The activities of a published release. */
export const releaseActions = ({ data }: Event): NamedEvent[] => [
  { name: 'release', action: 'published' },
  { name: 'release', action: data.prerelease === true ? 'prereleased' : 'released' },
  { name: 'release', action: 'created' },
]
