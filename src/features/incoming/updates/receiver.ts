/** What services that are told about their issues have in common. */
import type { CloseReason } from '#features/issues/index.ts'
import type { JsonObject } from '#lib/json-value.ts'

/** What a service is told about one alert, error or ticket of its own. */
export type Update =
  | { readonly kind: 'status'; readonly open: boolean; readonly reason: CloseReason | null }
  | { readonly kind: 'comment'; readonly text: string }

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
    },
  ) => Promise<void>
}
