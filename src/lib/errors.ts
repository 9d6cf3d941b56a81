/**
 * A refusal is an error that the client may see. Everything else that is thrown is a bug: the doors
 * log it under the request's id and answer 500 without its text.
 */

/** The stable code of a refusal; each has one HTTP status. */
export const STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  rate_limited: 429,
  internal: 500,
  not_available: 501,
  unavailable: 503,
} as const

export type RefusalCode = keyof typeof STATUS

export type RefusalOptions = {
  /** The finer cause, a stable word. */
  reason?: string
  /** The input at fault, dotted for depth. */
  field?: string
  details?: Record<string, unknown>
  /** Headers for the HTTP answer, such as `Retry-After` or `Allow`. */
  headers?: Record<string, string>
}

export class Refusal extends Error {
  readonly reason: string | null
  readonly field: string | null
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    readonly code: RefusalCode,
    message: string,
    options: RefusalOptions = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.reason = options.reason ?? null
    this.field = options.field ?? null
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return STATUS[this.code]
  }

  /** The error object of every door: REST body, tool result, page. */
  body(requestId: string | null) {
    return {
      error: {
        code: this.code,
        message: this.message,
        reason: this.reason,
        field: this.field,
        details: this.details,
        request_id: requestId,
      },
    }
  }
}

/**
 * What was addressed is elsewhere now, and the client may see it there. Doors that have addresses
 * send the client on; the others tell the new name, which is in the message and in
 * `details.moved_to`.
 */
export class Moved extends Refusal {
  constructor(
    readonly from: string,
    readonly to: string,
  ) {
    super('not_found', `${from} is ${to} now: use that name`, {
      reason: 'moved',
      details: { moved_to: to },
    })
    this.name = 'Moved'
  }
}

export const notFound = (what: string) =>
  new Refusal('not_found', `${what} does not exist, or you cannot see it`)

export const invalid = (
  field: string,
  message: string,
  options: Omit<RefusalOptions, 'field'> = {},
) => new Refusal('invalid', message, { ...options, field })

export const conflict = (reason: string, message: string, details: Record<string, unknown> = {}) =>
  new Refusal('conflict', message, { reason, details })

export const forbidden = (reason: string, message: string, details: Record<string, unknown> = {}) =>
  new Refusal('forbidden', message, { reason, details })
