// The activity of repositories and workspaces, and its filter.
import type { EventRecord } from '#features/repos/index.ts'
import type { Child } from '../../jsx/html.ts'
import {
  EmptyState,
  FilterBar,
  Timeline,
  TimelineEvent,
  type IconName,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'

const ICONS: readonly [prefix: string, icon: IconName][] = [
  ['git.', 'commit'],
  ['repo.', 'repo'],
  ['branch.', 'branch'],
  ['issue.', 'issue'],
  ['comment.', 'comment'],
  ['pull.merged', 'merge'],
  ['pull.', 'pull'],
  ['review.', 'eye'],
  ['session.', 'spark'],
  ['agent.', 'agent'],
  ['checks.', 'check-circle'],
  ['queue.', 'queue'],
  ['release.', 'tag'],
  ['package.', 'package'],
  ['security.', 'shield'],
  ['member.', 'users'],
]

const iconOf = (type: string): IconName =>
  ICONS.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'circle'

const KINDS: readonly {
  readonly word: string
  readonly label: string
  readonly icon: IconName
  readonly prefixes: readonly string[]
}[] = [
  { word: 'code', label: 'Code', icon: 'commit', prefixes: ['git.', 'branch.'] },
  { word: 'issues', label: 'Issues', icon: 'issue', prefixes: ['issue.'] },
  {
    word: 'pulls',
    label: 'Pull requests',
    icon: 'pull',
    prefixes: ['pull.', 'review.', 'checks.', 'queue.'],
  },
  { word: 'comments', label: 'Comments', icon: 'comment', prefixes: ['comment.'] },
  { word: 'agents', label: 'Agents', icon: 'spark', prefixes: ['session.', 'agent.'] },
]

/** The types of events in the address. Undefined stands for all. */
export function typesOf(visit: Visit): string[] | undefined {
  const kind = KINDS.find(({ word }) => word === visit.url.searchParams.get('kind'))
  const types =
    kind &&
    [...visit.hearth.eventTypes.keys()].filter((type) =>
      kind.prefixes.some((prefix) => type.startsWith(prefix)),
    )
  return types && types.length > 0 ? types.slice(0, 50) : undefined
}

export const kindOf = (visit: Visit): string | undefined =>
  KINDS.find(({ word }) => word === visit.url.searchParams.get('kind'))?.word

export const KindFilter = ({
  visit,
  here,
  children,
}: {
  visit: Visit
  here: string
  children?: Child
}) => {
  const kind = kindOf(visit)
  return (
    <FilterBar
      label="What to show"
      filters={[
        { label: 'Everything', href: here, current: kind === undefined },
        ...KINDS.map(({ word, label, icon }) => ({
          label,
          icon,
          href: withQuery(here, { kind: word }),
          current: kind === word,
        })),
      ]}
    >
      {children}
    </FilterBar>
  )
}

/** The path of an address of this site, so that a link stays on the host of the request. */
const local = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

export const EventList = ({
  events,
  withRepo,
  empty,
}: {
  events: readonly EventRecord[]
  withRepo?: boolean
  empty: string
}) =>
  events.length === 0 ? (
    <EmptyState icon="activity" title={empty} />
  ) : (
    <Timeline label="Activity">
      {events.map((event) => (
        <TimelineEvent icon={iconOf(event.type)} at={event.time} id={event.id}>
          {withRepo && event.repository !== null && (
            <span class="strong">{event.repository.full_name}</span>
          )}{' '}
          <a class="quiet-link" href={local(event.url)}>
            {event.summary}
          </a>
        </TimelineEvent>
      ))}
    </Timeline>
  )
