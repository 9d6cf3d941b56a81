/** What the interfaces have in common that clients of the gateway speak. */
import type { Wire } from '#features/integrations/index.ts'
import type { Answer, ChatRequest, ModelEvent, Usage } from './events.ts'
import type { Json } from './json.ts'

export type ClientRequest = {
  readonly max_tokens: number | undefined
  readonly stream: boolean
}

/** Writes the answer of a model as server-sent events. Each method returns their text. */
export type AnswerWriter = {
  begin(): string
  add(event: ModelEvent): string
  end(): string
}

/** What an answer says of itself. */
export type AnswerHead = {
  readonly model: string
  readonly request: Json
  /** When it began, in seconds of Unix time. */
  readonly created: number
}

export type ClientWire = {
  /** The interface of providers that takes these requests as they are; null for none. */
  readonly passes: Wire | null
  /** Throws 400 for a request that is not taken here. */
  readonly read: (body: Json) => ClientRequest
  /** The request in the common form. Throws 400 for what it cannot say. */
  readonly toChat: (body: Json) => Omit<ChatRequest, 'max_tokens'>
  /** The request for a provider of the same interface, with the fields that may go on to it. */
  readonly forward: (body: Json, change: Forwarded) => Json
  readonly writer: (head: AnswerHead, estimatedInput: number) => AnswerWriter
  readonly whole: (answer: Answer, usage: Usage, head: AnswerHead) => Json
  readonly error: (status: number, message: string, reason: string | null) => Json
  /** The error of an answer that has begun. */
  readonly errorEvent: (message: string) => string
}

export type Forwarded = {
  readonly model: string
  readonly max_output: number
  /** Of the route, where the client names none. */
  readonly temperature: number | null
}

export const sse = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

export const newId = (prefix: string): string =>
  `${prefix}${crypto.randomUUID().replaceAll('-', '')}`
