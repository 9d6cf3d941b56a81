/**
 * A refusal is an error that the client may see. Every other error is a bug: the HTTP server logs
 * it with the id of the request and responds with 500, without its message.
 */

/** The code of a refusal, which is public interface, and its HTTP status. */
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
  /** The precise cause as a word, which is public interface. */
  reason?: string
  /** The dotted name of the invalid input. */
  field?: string
  details?: Record<string, unknown>
  /** Headers of the HTTP response, such as `Retry-After` or `Allow`. */
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

  /** The error object of REST responses, tool results and pages. */
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
 * The target was renamed, and the client may see it. REST, git and pages redirect. Tools return the
 * new name in the message and in `details.moved_to`.
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

/** The workspace is on another forge now, at this address. Callers check first that it is seen. */
export const departed = (workspace: string, address: string): Refusal =>
  new Refusal('not_found', `${workspace} is at ${address} now: use that address`, {
    reason: 'moved',
    details: { moved_to: address },
  })

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
