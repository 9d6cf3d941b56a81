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
import { localPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { localized, rich, t } from '../../text.ts'
import { eventLine, translateMessage } from '../../messages.ts'

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
}[] = localized([
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
])

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
      label={t('What to show')}
      filters={[
        { label: t('Everything'), href: here, current: kind === undefined },
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

/** Events, or several changes of tags by one person as one entry. */
type Entry = { readonly event: EventRecord; readonly tags: readonly string[] }

/** Names of tags that one entry shows. */
const MAX_TAGS = 5

const pushedTag = ({ type, data }: EventRecord): string | null =>
  type === 'git.push' && typeof data.ref === 'string' && data.ref.startsWith('refs/tags/')
    ? data.ref.slice('refs/tags/'.length)
    : null

const verbOf = ({ data }: EventRecord): string =>
  data.deleted === true ? 'deleted' : data.created === true ? 'created' : 'moved'

/** Folds changes of tags that follow each other: a push of all tags is one event for each. */
export function foldTags(events: readonly EventRecord[]): Entry[] {
  const entries: Entry[] = []
  for (const event of events) {
    const tag = pushedTag(event)
    const last = entries.at(-1)
    if (
      tag !== null &&
      last &&
      last.tags.length > 0 &&
      last.event.actor?.id === event.actor?.id &&
      last.event.repository?.id === event.repository?.id &&
      verbOf(last.event) === verbOf(event)
    )
      entries[entries.length - 1] = { event: last.event, tags: [...last.tags, tag] }
    else entries.push({ event, tags: tag === null ? [] : [tag] })
  }
  return entries
}

const TagsEntry = ({ event, tags }: Entry) => {
  const more = tags.length - MAX_TAGS
  const home = localPath(event.url).split('/').slice(0, 3).join('/')
  return (
    <a class="quiet-link" href={`${home}/tags`}>
      {rich('{username} {event} {tags} tags: {tags2}{more}', {
        username: event.actor?.username ?? t('The service'),
        event: verbOf(event),
        tags: tags.length,
        tags2: tags.slice(0, MAX_TAGS).join(', '),
        more: more > 0 ? t(' and {more} more', { more }) : '',
      })}
    </a>
  )
}

export const EventList = ({
  events,
  titles,
  withRepo,
  empty,
}: {
  events: readonly EventRecord[]
  /** Titles of issues, pull requests and commits, by the id of the event. */
  titles?: ReadonlyMap<string, string>
  withRepo?: boolean
  empty: string
}) =>
  events.length === 0 ? (
    <EmptyState icon="activity" title={empty} />
  ) : (
    <Timeline label={t('Activity')}>
      {foldTags(events).map(({ event, tags }) => (
        <TimelineEvent icon={iconOf(event.type)} at={event.time} id={event.id}>
          {withRepo && event.repository !== null && (
            <span class="strong">{event.repository.full_name}</span>
          )}{' '}
          {tags.length > 1 ? (
            <TagsEntry event={event} tags={tags} />
          ) : (
            <a class="quiet-link" href={localPath(event.url)}>
              {withRepo ? translateMessage(event.summary) : eventLine(event.summary)}
            </a>
          )}
          {tags.length < 2 && titles?.get(event.id) !== undefined && (
            <span class="event-title muted">{titles.get(event.id)}</span>
          )}
        </TimelineEvent>
      ))}
    </Timeline>
  )
