/**
 * Plans notifications: reads the texts of events, subscribes participants, and lists everyone to
 * notify with their strongest reason. The plan commits with the end of its work, so it is made
 * once.
 */
import { findEvent, listEvents, type EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { assigneesOf, findRecord, readReferences } from '#features/issues/index.ts'
import { eventRecord, repoById, type RepoRow, type RunFailure } from '#features/repos/index.ts'
import { newlyRequested } from './requested-people.ts'
import { listMentioned, listNamed, personBehind } from './people.ts'
import { stronger, type Reason } from './reasons.ts'
import { resolveReferences } from '../references/resolve-references.ts'
import { canRead, isMaintainer } from './visibility.ts'
import { listMaintainers } from './store-people.ts'
import { replaceMentions, replaceReferences, type Target } from '../references/store-references.ts'
import {
  listRecordSubscriptions,
  listWatchers,
  subscribe,
  type SubscriptionReason,
} from '../subscriptions/store-subscriptions.ts'
import { failureOf } from './run-failures.ts'
import { removeWork, setPlan, isUnchanged, type WorkRow } from './store-work.ts'
import { textIdOf, textOf } from '../references/read-texts.ts'
import { notifySome } from './notify-person.ts'
import { eventRule, recordRule, recordSubject, type Plan, type Work } from './work.ts'

/** People notified in one transaction, few enough that other writes do not wait long. */
export const PEOPLE_PER_BATCH = 100

type ReadText = {
  readonly text_id: string
  readonly names: readonly string[]
  readonly targets: readonly Target[]
  readonly by: string | null
  readonly actor_id: string | null
}

async function readText(
  hearth: Hearth,
  repo: RepoRow,
  number: number,
  text_id: string,
  actor_id: string | null,
): Promise<ReadText | null> {
  const text = textOf(hearth.db, repo.id, number, text_id)
  if (text === null) return null
  const references = readReferences(text, hearth.settings.site_url)
  const by = personBehind(hearth, actor_id)
  return {
    text_id,
    names: references.mentions,
    targets: await resolveReferences(
      hearth,
      repo,
      { repo_id: repo.id, number, text_id },
      references,
      by,
    ),
    by,
    actor_id,
  }
}

/** The people to notify, each with the strongest reason. */
class Audience {
  readonly people = new Map<string, Reason>()

  add(user_id: string, reason: Reason): void {
    const known = this.people.get(user_id)
    this.people.set(user_id, known === undefined ? reason : stronger(known, reason))
  }

  plan(about: Plan['about'], events: readonly string[], text_id: string | null): Plan {
    return { about, events, text_id, people: [...this.people].sort(([a], [b]) => (a < b ? -1 : 1)) }
  }
}

/** Stores what a text mentions now, and subscribes people who are mentioned for the first time. */
function updateMentions(
  tx: Tx,
  repo: RepoRow,
  number: number,
  texts: readonly ReadText[],
  audience: Audience,
  at: string,
): void {
  for (const { text_id, names, targets, by, actor_id } of texts) {
    const place = { repo_id: repo.id, number, text_id }
    replaceReferences(tx, place, targets, { actor_id, at })
    for (const [user_id, because] of listMentioned(tx, replaceMentions(tx, place, names), by)) {
      if (user_id === by) continue
      subscribeReader(tx, repo, number, user_id, because)
      audience.add(user_id, because)
    }
  }
}

/**
 * Subscribes only people who can read the record now. Otherwise they would be notified from the day
 * they get access.
 */
function subscribeReader(
  tx: Tx,
  repo: RepoRow,
  number: number,
  user_id: string,
  because: SubscriptionReason,
): void {
  if (canRead(tx.hearth, repo.id, user_id)) subscribe(tx, repo.id, number, user_id, because)
}

function planRecord(
  tx: Tx,
  repo: RepoRow,
  work: Extract<Work, { kind: 'record' }>,
  events: readonly EventRow[],
  texts: readonly ReadText[],
): Plan | null {
  const { number } = work
  const record = findRecord(tx.db, repo.id, number)
  const last = events.at(-1)
  if (!record || !last) return null
  const audience = new Audience()
  const own = personBehind(tx.hearth, work.actor_id)
  const author = personBehind(tx.hearth, record.author_id)
  updateMentions(tx, repo, number, texts, audience, last.time)

  const types = new Set(events.map(({ type }) => type))
  if (author !== null && (types.has('issue.opened') || types.has('pull.opened')))
    subscribe(tx, repo.id, number, author, 'author')
  // A review ends requests without an event, and a new pull request may be followed by requests.
  const asked =
    types.has('pull.opened') || events.some(({ data }) => typeof data.review === 'string')
      ? newlyRequested(tx, repo.id, number)
      : []
  for (const [user_id, what] of [...work.asked, ...asked]) {
    if (user_id === own) continue
    subscribeReader(tx, repo, number, user_id, what)
    audience.add(user_id, what)
  }
  if (types.has('comment.created') && work.actor_id !== null && work.actor_id === own)
    subscribe(tx, repo.id, number, own, 'commented')

  const rules = events.flatMap((event) => recordRule(event) ?? [])
  if (rules.some(({ tells }) => tells)) addSubscribers(tx, repo, number, audience)
  if (own !== null) audience.people.delete(own)
  for (const event of events) {
    const fails = recordRule(event)?.fails
    if (fails)
      for (const user_id of responsiblePeople(tx, repo, number, author, event))
        if (user_id !== event.actor_id) audience.add(user_id, fails)
  }
  for (const user_id of listWatchers(tx.db, repo.id, ['ignored'])) audience.people.delete(user_id)
  const told = texts.find(({ text_id }) =>
    events.some((event) => recordRule(event)?.tells === true && textIdOf(event) === text_id),
  )
  return audience.plan(
    recordSubject(repo.id, number, record.kind),
    events.map(({ id }) => id),
    told?.text_id ?? null,
  )
}

/** Adds the subscribers of a record, and those who watch the repository and did not unsubscribe. */
function addSubscribers(tx: Tx, repo: RepoRow, number: number, audience: Audience): void {
  const followers = listRecordSubscriptions(tx.db, repo.id, number)
  const without = new Set(
    followers.flatMap(({ user_id, subscribed }) => (subscribed === 0 ? [user_id] : [])),
  )
  for (const { user_id, because, subscribed } of followers)
    if (subscribed === 1) audience.add(user_id, because)
  for (const user_id of listWatchers(tx.db, repo.id, ['all']))
    if (!without.has(user_id)) audience.add(user_id, 'subscribed')
}

/** The people responsible for a failed change: its author, its assignees, and whoever queued it. */
function responsiblePeople(
  tx: Tx,
  repo: RepoRow,
  number: number,
  author: string | null,
  event: EventRow,
): string[] {
  const people = new Set(
    assigneesOf(tx.hearth, repo.id, number).flatMap(({ id }) => personBehind(tx.hearth, id) ?? []),
  )
  if (author !== null) people.add(author)
  const { entry } = event.data
  if (typeof entry === 'string') {
    const queued = listEvents(tx.db, {
      repo_id: repo.id,
      number,
      types: [event.type],
      limit: 100,
    }).findLast(({ data }) => data.entry === entry)
    const by = personBehind(tx.hearth, queued?.actor_id ?? null)
    if (by !== null) people.add(by)
  }
  return [...people]
}

function planText(
  tx: Tx,
  repo: RepoRow,
  { number, text_id }: Extract<Work, { kind: 'text' }>,
  texts: readonly ReadText[],
): Plan | null {
  const record = findRecord(tx.db, repo.id, number)
  if (!record) return null
  const audience = new Audience()
  updateMentions(tx, repo, number, texts, audience, tx.now)
  for (const user_id of listWatchers(tx.db, repo.id, ['ignored'])) audience.people.delete(user_id)
  return audience.plan(recordSubject(repo.id, number, record.kind), [], text_id)
}

function peopleOf(
  tx: Tx,
  { data }: EventRow,
  to: NonNullable<ReturnType<typeof eventRule>>['to'],
  { repo, failure }: { readonly repo: RepoRow; readonly failure: RunFailure | null },
): string[] {
  if (to === 'watchers') return listWatchers(tx.db, repo.id, ['all', 'releases'])
  if (to === 'followers') return listWatchers(tx.db, repo.id, ['all'])
  if (to === 'keepers')
    return listMaintainers(tx.db, repo).filter((id) => isMaintainer(tx.hearth, repo, id))
  if (to === 'starter') {
    const by = personBehind(tx.hearth, failure?.by ?? null)
    return by === null ? [] : [by]
  }
  const names = Array.isArray(data.reviewers) ? data.reviewers : []
  return listNamed(tx, names.map(String))
}

/**
 * A further version of a package moves its notification up, as a workflow that fails again on the
 * same branch does.
 */
function packageSubject({ type, data }: EventRow): string | null {
  const { id } = (data.package ?? {}) as { readonly id?: unknown }
  return type === 'package.published' && typeof id === 'string' ? `package ${id}` : null
}

function planEvent(tx: Tx, event: EventRow): Plan | null {
  const rule = eventRule(event)
  const repo = event.repo_id === null ? null : repoById(tx.db, event.repo_id)
  if (!rule || !repo) return null
  const failure = rule.to === 'starter' ? failureOf(tx.hearth, event.data) : null
  const audience = new Audience()
  for (const user_id of peopleOf(tx, event, rule.to, { repo, failure }))
    audience.add(user_id, rule.reason)
  if (rule.to === 'keepers' || rule.to === 'starter')
    for (const user_id of listWatchers(tx.db, repo.id, ['ignored'])) audience.people.delete(user_id)
  const own = personBehind(tx.hearth, event.actor_id)
  if (own !== null) audience.people.delete(own)
  const { summary, url } = eventRecord(tx.hearth, event)
  return audience.plan(
    {
      repo_id: repo.id,
      subject: failure
        ? `workflow ${failure.workflow_id} ${failure.ref}`
        : (packageSubject(event) ?? `event ${event.id}`),
      kind: rule.kind,
      number: null,
      subject_id: event.id,
      title: failure?.title ?? summary,
      url: url.slice(tx.hearth.settings.site_url.length),
    },
    [event.id],
    null,
  )
}

/**
 * Plans one piece of work. A small audience is notified in the same transaction; a larger plan is
 * stored and processed in batches.
 */
export async function makePlan(hearth: Hearth, row: WorkRow): Promise<void> {
  const work = row.data
  const events = (
    work.kind === 'record' ? work.events : work.kind === 'event' ? [work.event_id] : []
  ).flatMap((id) => findEvent(hearth.db, id) ?? [])
  const repo = work.kind === 'event' ? null : repoById(hearth.db, work.repo_id)
  const texts: ReadText[] = []
  if (repo && work.kind !== 'event') {
    const ids =
      work.kind === 'text'
        ? [work.text_id]
        : [...new Set(events.flatMap((event) => textIdOf(event) ?? []))]
    for (const id of ids) {
      const text = await readText(hearth, repo, work.number, id, work.actor_id)
      if (text) texts.push(text)
    }
  }
  await writeAs(hearth, null, (tx) => {
    if (!isUnchanged(tx.db, row)) return
    const [event] = events
    const plan =
      work.kind === 'event'
        ? event
          ? planEvent(tx, event)
          : null
        : !repo
          ? null
          : work.kind === 'record'
            ? planRecord(tx, repo, work, events, texts)
            : planText(tx, repo, work, texts)
    if (plan && plan.people.length > PEOPLE_PER_BATCH) return setPlan(tx, row.seq, plan)
    if (plan) notifySome(tx, plan, plan.people)
    removeWork(tx, row.seq)
  })
}
