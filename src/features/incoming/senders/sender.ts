/** What services that send webhooks have in common: how they sign, and what their events say. */
import type { LocatedTrace, StackTrace } from '#features/integrations/index.ts'
import type { JsonObject } from '#lib/json-value.ts'

/** One alert, error or ticket, as an event of its service describes it. */
export type IncomingItem = {
  /** The same in all events about it. */
  readonly fingerprint: string
  /** Whether it is open at the service. */
  readonly open: boolean
  readonly title: string
  /** Plain text or Markdown by strangers. */
  readonly text: string
  readonly url: string | null
  /**
   * Differs when it happens again, so that an issue that a person closed opens again. Null when the
   * event does not say.
   */
  readonly occurrence: string | null
  /** Where an error happened. */
  readonly trace?: StackTrace
  /** The same with the files of the repository; set where the event is received. */
  readonly located?: LocatedTrace
}

export type IncomingEvent = {
  /** What the service calls the event, for the list of deliveries. */
  readonly name: string
  readonly items: readonly IncomingItem[]
}

/** How a service proves that an event is its own. */
export type SignatureScheme = {
  /** `hmac`: SHA-256 of the body in hex. `token`: the secret itself. */
  readonly kind: 'hmac' | 'token'
  readonly header: string
  /** Before the digest, such as `sha256=`. */
  readonly prefix: string
  /** False where the service signs only when it is told to. Without a secret nothing is checked. */
  readonly required: boolean
}

export type IncomingRequest = {
  readonly headers: Headers
  readonly body: JsonObject
  /** The configuration of the integration. */
  readonly config: JsonObject
}

export type Sender = {
  /** Null where the key in the address is all that the service can send. */
  readonly signature: SignatureScheme | null
  /** Headers with the id of a delivery, the same when it is sent again. */
  readonly idHeaders: readonly string[]
  /** Whether two different events never have the same body. */
  readonly hasUniqueBodies: boolean
  /** Alerts are limited in number, and an issue that people work on stays open when they end. */
  readonly sendsAlerts: boolean
  /** The event; null for one that says nothing about issues, such as a test. */
  readonly read: (request: IncomingRequest) => IncomingEvent | null
}

/** A text or a number of an event; empty for anything else. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** Lines of names and values, without empty ones. */
export const factLines = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .map(([name, value]): [string, string] => [name, wordOf(value)])
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
