/** What services that are told about their issues have in common. */
import type { CloseReason } from '#features/issues/index.ts'
import type { JsonObject } from '#lib/json-value.ts'
import type { Timestamp } from '#lib/time.ts'

/** What a service is told about one alert, error or ticket of its own. */
export type Update =
  | { readonly kind: 'status'; readonly open: boolean; readonly reason: CloseReason | null }
  | {
      readonly kind: 'comment'
      readonly text: string
      /** A part of the text that no other comment has. */
      readonly marker: string
    }

/** The issue here, for services that take any JSON. */
export type IssueFacts = {
  readonly repo: string
  readonly number: number
  readonly url: string
}

export type TrackerRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Below the base address. Empty for the base address itself. */
  readonly path: string
  readonly search?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/** Sends a request with the credentials. Returns the answer's JSON. Throws `UpdateFailed`. */
export type Ask = (request: TrackerRequest) => Promise<unknown>

/** A service did not take an update. */
export class UpdateFailed extends Error {
  constructor(
    message: string,
    /** Whether another attempt may succeed. */
    readonly isTemporary: boolean,
    /** What the service asks to wait. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** Further ones than on these pages came long after the comment that is looked for, or before it. */
const COMMENTS_PER_PAGE = 50
const MAX_COMMENT_PAGES = 4

/**
 * Whether one of a service's comments has a text. `page` begins at 0; `textsOf` gives null for what
 * is no list of comments. Throws `UpdateFailed` then: a comment that is sent twice cannot be taken
 * back.
 */
export async function hasComment(
  ask: Ask,
  marker: string,
  list: {
    readonly request: (page: number, perPage: number) => Omit<TrackerRequest, 'method'> | null
    readonly textsOf: (answer: unknown) => readonly unknown[] | null
  },
): Promise<boolean> {
  for (let page = 0; page < MAX_COMMENT_PAGES; page++) {
    const request = list.request(page, COMMENTS_PER_PAGE)
    if (request === null) return false
    const texts = list.textsOf(await ask({ method: 'GET', ...request }))
    if (texts === null)
      throw new UpdateFailed('its comments cannot be read, to find what was sent before', true)
    if (texts.some((text) => typeof text === 'string' && text.includes(marker))) return true
    if (texts.length < COMMENTS_PER_PAGE) return false
  }
  return false
}

/** There is nothing to tell. */
export class NothingToTell extends Error {}

/** `lacks` of a service that needs nothing but its secret. */
export const lacksSecret =
  (secret: string): Receiver['lacks'] =>
  (_, hasSecret) =>
    hasSecret ? null : secret

export type Receiver = {
  /** The base address; null when the integration does not have it. */
  readonly base: (config: JsonObject) => string | null
  readonly headers: (config: JsonObject, secret: string) => Record<string, string>
  /** What the integration lacks to be told anything, for people; null when nothing is missing. */
  readonly lacks: (config: JsonObject, hasSecret: boolean) => string | null
  readonly send: (
    ask: Ask,
    update: Update,
    about: {
      readonly fingerprint: string
      readonly config: JsonObject
      readonly issue: IssueFacts
      /** What the service signs its events with; null for none. */
      readonly signingSecret: string | null
      /** The same in all attempts. */
      readonly id: string
      /**
       * When the comment was written, for one that an earlier attempt may have left at the service:
       * its answer was lost, or this process ended before it wrote it down. Null for a first attempt.
       */
      readonly mayBeThereSince: Timestamp | null
    },
  ) => Promise<void>
}
