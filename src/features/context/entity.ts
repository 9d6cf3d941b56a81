/** What entities of all kinds share: relations, memories and events. */
import { readReferences } from '#features/issues/index.ts'
import { recall } from '#features/memory/index.ts'
import { listEvents, type EventRecord } from '#features/repos/index.ts'
import type { Found } from './found.ts'
import { tryCall, type Place } from './place.ts'
import {
  MAX_ENTITY_EVENTS,
  MAX_ENTITY_MEMORIES,
  type Entity,
  type EntityKind,
  type Relation,
} from './schema.ts'
import { findByKey } from './find-by-key.ts'
import { fitOf, queryWords } from './words.ts'

/** What one kind says about an entity, beside what every search hit has. */
export type Described = {
  readonly found: Found
  readonly fields: Readonly<Record<string, unknown>>
  readonly relations: readonly Relation[]
  /** Its own events; null for those of its repository. */
  readonly recent?: readonly EventRecord[] | null
}

const MAX_MENTIONS = 10
const MAX_READ_CHARS = 20_000
const MAX_RECALLED = 100
const MAX_EVENT_REPOS = 5

export const relation = (
  type: Relation['type'],
  kind: EntityKind,
  id: string,
  title: string,
): Relation => ({ type, kind, id, title })

/** Issues and pull requests that a text names and that the caller can read. */
export async function mentionsIn(
  place: Place,
  text: string,
  repo: string,
  itself: string,
): Promise<Relation[]> {
  const found: Relation[] = []
  const { numbers } = readReferences(text.slice(0, MAX_READ_CHARS), place.hearth.settings.site_url)
  for (const { repo: named, number } of numbers.slice(0, MAX_MENTIONS)) {
    const key = `${named ?? repo}#${number}`
    const record = key === itself ? null : await findByKey(place, key)
    if (record) found.push(relation('mentions', record.kind, record.key, record.title))
  }
  return found
}

/** Memories that have the words of an entity, the best first. */
export async function memoriesAbout(
  place: Place,
  { found }: Described,
): Promise<Entity['memories']> {
  const repo = found.repo ?? place.repo ?? place.repos[0]?.full_name
  const answer =
    repo === undefined ? null : await tryCall(place, recall, { repo, limit: MAX_RECALLED })
  const words = queryWords(`${found.key} ${found.title}`)
  return [...(answer?.project ?? []), ...(answer?.workspace ?? [])]
    .filter(({ id, waiting }) => !waiting && id !== found.id)
    .map((memory) => ({
      memory,
      fit: fitOf(words, { key: '', title: '', summary: memory.text }),
    }))
    .filter(({ fit, memory }) => fit > 0 || (found.kind === 'repo' && memory.pinned))
    .sort((a, b) => b.fit - a.fit)
    .slice(0, MAX_ENTITY_MEMORIES)
    .map(({ memory: { id, kind, text } }) => ({ id, kind, text }))
}

/** The latest events of repositories, newest first. */
export async function eventsOf(place: Place, repos: readonly string[]): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for (const repo of repos.slice(0, MAX_EVENT_REPOS)) {
    const listed = await tryCall(place, listEvents, { repo, per_page: MAX_ENTITY_EVENTS })
    events.push(...(listed?.items ?? []))
  }
  return events.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MAX_ENTITY_EVENTS)
}
