// Events of a conversation as sentences, after the name of who did it.
import type { EventRecord } from '#features/repos/index.ts'
import { TimelineEvent, type IconName, type Tone } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { commitPath, pullPath } from '../../paths.ts'
import { rich, t, texts, tn } from '../../text.ts'

type EventStyle = {
  icon: IconName
  tone?: Tone
  describe: (data: Record<string, unknown>, links: EventLinks) => Child
}

/** What the words of an event lead to. */
type EventLinks = {
  /** A commit by its id: one that was pushed is in the fork, one that was merged is not. */
  readonly pushed: (sha: string) => Child
  readonly merged: (sha: string) => Child
  /** A pull request by its number. */
  readonly pull: (number: string) => Child
}

const linksOf = (repo: string, code: string): EventLinks => {
  const commit = (where: string) => (sha: string) => (
    <a class="mono" href={commitPath(where, sha)}>
      {sha.slice(0, 7)}
    </a>
  )
  return {
    pushed: commit(code),
    merged: commit(repo),
    pull: (number) => <a href={pullPath(repo, Number(number))}>#{number}</a>,
  }
}

const list = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '')

const quoted = (values: readonly string[]): string => values.map((value) => `“${value}”`).join(', ')

type Exchange = { readonly from: readonly string[]; readonly to: readonly string[] }
type Names = { readonly names: string }
type Values = Partial<Record<string, Exchange>>

/** `added a and removed b`, in the words of what was exchanged. */
function exchanged(
  { from, to }: Exchange,
  add: (names: Names, count: number) => string,
  remove: (names: Names, count: number) => string,
): string {
  const added = to.length === 0 ? null : add({ names: list(to) }, to.length)
  const removed = from.length === 0 ? null : remove({ names: list(from) }, from.length)
  return added !== null && removed !== null
    ? t('{added} and {removed}', { added, removed })
    : (added ?? removed ?? '')
}

/** The changes whose values before and after are known. */
function describeValues({ values }: Record<string, unknown>): string[] {
  const { title, labels, milestone, assignees, base, requested_reviewers } = (values ??
    {}) as Values
  return [
    title &&
      t('changed the title from {from} to {to}', {
        from: quoted(title.from),
        to: quoted(title.to),
      }),
    labels &&
      exchanged(
        labels,
        (names, count) => tn('added the label {names}', 'added the labels {names}', count, names),
        (names, count) =>
          tn('removed the label {names}', 'removed the labels {names}', count, names),
      ),
    milestone &&
      (milestone.to.length === 0
        ? t('removed this from the milestone {from}', { from: list(milestone.from) })
        : milestone.from.length === 0
          ? t('added this to the milestone {to}', { to: list(milestone.to) })
          : t('moved this from the milestone {from} to {to}', {
              from: list(milestone.from),
              to: list(milestone.to),
            })),
    assignees &&
      exchanged(
        assignees,
        (names) => t('assigned {names}', names),
        (names) => t('unassigned {names}', names),
      ),
    base &&
      t('changed the base branch from {from} to {to}', {
        from: list(base.from),
        to: list(base.to),
      }),
    requested_reviewers &&
      exchanged(
        requested_reviewers,
        (names) => t('requested a review from {names}', names),
        (names) => t('cancelled the review request to {names}', names),
      ),
  ].filter((text) => text !== undefined)
}

const FIELD_NAMES: Readonly<Record<string, string>> = texts({
  body: 'edited the description',
  checks: 'changed the checks',
  blocked_by: 'changed what blocks this',
  locked: 'changed who may comment',
  status: 'changed the status',
  reviews: 'dismissed a review',
  auto_merge: 'changed auto-merge',
  requested_reviewers: 'changed the reviewers',
})

/** All changes of an event. Older events name fields without their values. */
function describeChanges(data: Record<string, unknown>): string {
  const known = Object.keys((data.values ?? {}) as Values)
  const others = (Array.isArray(data.changed) ? data.changed : [])
    .map(String)
    .filter((field) => !known.includes(field))
    .map(
      (field) => FIELD_NAMES[field] ?? t('changed {field}', { field: field.replaceAll('_', ' ') }),
    )
  return [...describeValues(data), ...others].join(', ')
}

/**
 * Sentences about events, after the name of the actor. Missing types appear elsewhere on the page,
 * as comments do.
 */
const EVENT_STYLES: Readonly<Record<string, EventStyle>> = {
  'issue.updated': { icon: 'edit', describe: describeChanges },
  'issue.assigned': {
    icon: 'user',
    describe: (data) =>
      describeValues(data)[0] ??
      (list(data.assignees) === ''
        ? t('removed the assignees')
        : t('assigned {names}', { names: list(data.assignees) })),
  },
  'issue.closed': {
    icon: 'issue-closed',
    tone: 'done',
    describe: ({ reason, resolved_by }, links) =>
      resolved_by
        ? rich('closed this with pull request {pull}', { pull: links.pull(String(resolved_by)) })
        : reason === 'not_planned'
          ? t('closed this as not planned')
          : t('closed this as completed'),
  },
  'issue.reopened': { icon: 'issue', tone: 'good', describe: () => t('reopened this') },
  'pull.ready': {
    icon: 'pull',
    tone: 'good',
    describe: () => t('marked this ready for review'),
  },
  'pull.updated': {
    icon: 'commit',
    describe: (data, links) =>
      list(data.changed).includes('head') && data.head
        ? rich('pushed {commit}', { commit: links.pushed(String(data.head)) })
        : data.reason
          ? t('disabled auto-merge: {reason}', { reason: String(data.reason) })
          : describeChanges(data),
  },
  'pull.merge_requested': { icon: 'merge', describe: () => t('requested the merge') },
  'pull.merged': {
    icon: 'merge',
    tone: 'done',
    describe: ({ commit, method }, links) =>
      method && method !== 'merge'
        ? rich('merged this as {commit} by {method}', {
            commit: links.merged(String(commit)),
            method: String(method),
          })
        : rich('merged this as {commit}', { commit: links.merged(String(commit)) }),
  },
  'pull.closed': {
    icon: 'pull-closed',
    tone: 'bad',
    describe: ({ superseded_by }, links) =>
      superseded_by
        ? rich('closed this: {pull} was merged for the same issue', {
            pull: links.pull(String(superseded_by)),
          })
        : t('closed this'),
  },
}

/** The types of the events that a conversation shows. */
export const EVENT_TYPES: string[] = Object.keys(EVENT_STYLES)

/** `code` is the repository of pushed commits: that of a pull request's fork. */
export const EventItem = ({
  event,
  repo,
  code = repo,
}: {
  event: EventRecord
  repo: string
  code?: string
}) => {
  const style = EVENT_STYLES[event.type]
  if (!style) return null
  return (
    <TimelineEvent
      icon={style.icon}
      tone={style.tone}
      actor={event.actor}
      at={event.time}
      id={event.id}
    >
      {style.describe(event.data, linksOf(repo, code))}
    </TimelineEvent>
  )
}
