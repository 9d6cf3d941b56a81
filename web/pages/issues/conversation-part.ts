// Long conversations come in parts, so that a page stays below 100 KB where comments have a usual
// length. The address without a part shows the last one; `?before=` and `?from=` name a place in the
// conversation, and `?at=` the comment or event that the part has to show.
import { isTypeId } from '#core/ids.ts'
import { readConversation, type Comment as CommentRecord } from '#features/issues/index.ts'
import type { EventRecord } from '#features/repos/index.ts'
import { htmlBytes } from '../../components/index.ts'
import { excerptBytes, MAX_EXCERPT_BYTES } from '../../markdown/excerpt.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { EVENT_TYPES } from './conversation-events.tsx'

const MAX_ITEMS = 60
/**
 * The HTML of a part, as estimated, at most and at least, and with what is beside it and the description.
 * The rest of the page has up to 26 KB.
 */
const MAX_PART_BYTES = 66_000
const MIN_PART_BYTES = 10_000
const MAX_WITH_REST_BYTES = 71_000
/** The markup around an item, with and without forms. */
const COMMENT_BYTES = 1_200
const OWN_COMMENT_BYTES = 3_200
const EVENT_BYTES = 500
const MAX_EVENT_TEXT_BYTES = 1_500

/** What an event says is among its data. */
const eventBytes = ({ data }: EventRecord): number =>
  EVENT_BYTES + Math.min(MAX_EVENT_TEXT_BYTES, htmlBytes(JSON.stringify(data)))

/** The first place of every conversation. */
const BEGINNING = '0'.repeat(26)

const isPlace = (text: string): boolean => isTypeId(`cmt_${text}`, 'cmt')
const isItemId = (text: string): boolean =>
  isTypeId(text, 'cmt') || isTypeId(text, 'evt') || isTypeId(text, 'rvw')

/** The place of an item in its conversation: the end of its id, which sorts by time. */
export const placeOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/** What is in a conversation beside comments and events: reviews, threads and mentions. */
export type OtherItem = {
  readonly place: string
  /** The ids that links to it may have. */
  readonly ids: readonly string[]
  readonly bytes: number
}

export type ConversationPart = {
  readonly comments: readonly CommentRecord[]
  readonly events: readonly EventRecord[]
  /** The places that the part has: from the first, and before the second. */
  readonly range: readonly [string, string]
  /** The end of the part before this one; null when this is the first. */
  readonly earlier: string | null
  /** The start of the part after this one; null when this is the last. */
  readonly later: string | null
  /** What the page shows of the description, and of a comment. */
  readonly maxTextBytes: number
}

export const isInPart = ({ range: [start, end] }: ConversationPart, place: string): boolean =>
  place >= start && place < end

/** The bytes of a comment on a page for whoever reads it. */
export const commentBytes = (
  visit: Visit,
  { body }: Pick<CommentRecord, 'body'>,
  maxBytes?: number,
): number =>
  (visit.viewer === null ? COMMENT_BYTES : OWN_COMMENT_BYTES) + excerptBytes(body, maxBytes)

/** The part that an address asks for. `at` is the id of an item. */
type Wanted = { readonly before?: string; readonly from?: string; readonly at?: string }

const placeIn = (visit: Visit, name: string): string | undefined => {
  const value = visit.url.searchParams.get(name) ?? ''
  return isPlace(value) ? value : undefined
}

/** The part of an address, as its forms and links repeat it. */
function partOf(visit: Visit): Wanted {
  const from = placeIn(visit, 'from')
  if (from !== undefined) return { from }
  const before = placeIn(visit, 'before')
  if (before !== undefined) return { before }
  const at = visit.url.searchParams.get('at') ?? ''
  return isItemId(at) ? { at } : {}
}

/** An address of a conversation that stays in the part that is open. */
export const inPart = (visit: Visit, path: string): string => withQuery(path, partOf(visit))

/** A comment that is being edited is shown, whatever part it is in. */
function wantedOf(visit: Visit): Wanted {
  const wanted = partOf(visit)
  if (Object.keys(wanted).length > 0) return wanted
  const edited = visit.url.searchParams.get('edit') ?? visit.form.values.text('comment_id')
  return isItemId(edited) ? { at: edited } : {}
}

type Sized = { readonly place: string; readonly bytes: number }

/** What is read at once: one item more than a part has shows that there are others. */
const LIMIT = MAX_ITEMS + 1
const END = '~'

/** How many of the items, in the order given, fit into a part: at least one. */
function countFitting(items: readonly Sized[], maxBytes: number): number {
  let bytes = 0
  let count = 0
  for (const item of items) {
    bytes += item.bytes
    if (count > 0 && (count === MAX_ITEMS || bytes > maxBytes)) break
    count++
  }
  return count
}

type Read = {
  readonly comments: readonly CommentRecord[]
  readonly events: readonly EventRecord[]
}

const sizedOf = (visit: Visit, { comments, events }: Read, maxTextBytes: number): Sized[] => [
  ...comments.map((comment) => ({
    place: placeOf(comment.id),
    bytes: commentBytes(visit, comment, maxTextBytes),
  })),
  ...events.map((event) => ({ place: placeOf(event.id), bytes: eventBytes(event) })),
]

const byPlace = (a: Sized, b: Sized): number => (a.place < b.place ? -1 : 1)

const within = ({ comments, events }: Read, [start, end]: readonly [string, string]): Read => {
  const isWithin = ({ id }: { readonly id: string }): boolean =>
    placeOf(id) >= start && placeOf(id) < end
  return { comments: comments.filter(isWithin), events: events.filter(isWithin) }
}

/** The items of both lists up to where the one that was cut ends. */
const endsOf = (lists: readonly (readonly { readonly id: string }[])[], at: 0 | -1): string[] =>
  lists.flatMap((list) => {
    const last = list.length < LIMIT ? undefined : list.at(at)
    return last === undefined ? [] : [placeOf(last.id)]
  })

/** What a page has beside the conversation, and the description above it. */
type Beside = { readonly sideBytes: number; readonly description: string }

/** What the page has for the items of a part, and for a text. */
function roomBeside({ sideBytes, description }: Beside) {
  const room = Math.max(2 * MIN_PART_BYTES, MAX_WITH_REST_BYTES - sideBytes)
  const maxTextBytes = Math.min(MAX_EXCERPT_BYTES, room / 2 - OWN_COMMENT_BYTES)
  const descriptionBytes = excerptBytes(description, maxTextBytes) + OWN_COMMENT_BYTES
  return { maxBytes: Math.min(MAX_PART_BYTES, room - descriptionBytes), maxTextBytes }
}

/** Reads the part of a conversation that an address asks for. */
export async function loadPart(
  visit: Visit,
  target: { readonly repo: string; readonly number: number },
  others: readonly OtherItem[],
  beside: Beside,
): Promise<ConversationPart> {
  const { maxBytes, maxTextBytes } = roomBeside(beside)
  const read = (at: { before?: string; from?: string }) =>
    visit.call(readConversation, { ...target, ...at, types: EVENT_TYPES, limit: LIMIT })

  const before = async (end?: string): Promise<ConversationPart> => {
    const found = await read(end === undefined ? {} : { before: end })
    const { comments, events } = found
    // Of the list that was cut, nothing is known before its first item.
    const known = endsOf([comments, events], 0).toSorted().at(-1) ?? ''
    const items = [...sizedOf(visit, found, maxTextBytes), ...others]
      .filter(({ place }) => place >= known && place < (end ?? END))
      .sort(byPlace)
      .reverse()
    const count = countFitting(items, maxBytes)
    const isFirst = count === items.length && known === ''
    const start = isFirst ? '' : (items[count - 1]?.place ?? '')
    const range = [start, end ?? END] as const
    return {
      ...within(found, range),
      range,
      earlier: isFirst ? null : start,
      later: end ?? null,
      maxTextBytes,
    }
  }

  const from = async (start: string): Promise<ConversationPart> => {
    const found = await read({ from: start })
    const { comments, events } = found
    const known = endsOf([comments, events], -1).toSorted()[0] ?? END
    const items = [...sizedOf(visit, found, maxTextBytes), ...others]
      .filter(({ place }) => place >= start && place <= known)
      .sort(byPlace)
    const next = items[countFitting(items, maxBytes)]?.place ?? null
    const range = [start, next ?? END] as const
    const isFirst = found.starts && !others.some(({ place }) => place < start)
    return {
      ...within(found, range),
      range,
      earlier: isFirst ? null : start,
      later: next,
      maxTextBytes,
    }
  }

  const wanted = wantedOf(visit)
  if (wanted.from !== undefined) return await from(wanted.from)
  if (wanted.before !== undefined) return await before(wanted.before)
  const last = await before()
  if (wanted.at === undefined) return last
  const { at } = wanted
  const place = others.find(({ ids }) => ids.includes(at))?.place ?? placeOf(at)
  return isInPart(last, place) ? last : await from(place)
}

/** The addresses of the parts around one. */
export const partLinks = (here: string, { earlier, later }: ConversationPart) => ({
  beginning: earlier === null ? null : withQuery(here, { from: BEGINNING }),
  earlier: earlier === null ? null : withQuery(here, { before: earlier }),
  later: later === null ? null : withQuery(here, { from: later }),
  last: later === null ? null : here,
})
