/**
 * Operations: the whole interface of the forge as values. REST, the tool server, the website and
 * the tests all enter through `call`. So validation, access and errors are implemented once.
 */
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { invalidInput } from './input-errors.ts'
import type { Git } from '#git'
import { Refusal } from '#lib/errors.ts'
import { lazy } from '#lib/lazy.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import {
  decide,
  RIGHTS_INTERVAL_MS,
  type Access,
  type Grant,
  type Rule,
  type Target,
} from './access.ts'
import { nowhere, type Origin } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Db } from './db.ts'
import type { Hearth } from './hearth.ts'
import { findResponse, serialize, recordResponse, type Idempotency } from './idempotency.ts'
import { readScope } from './read-scope.ts'
import type { Paging } from './page.ts'
import { requireDiskSpace } from './disk-space.ts'
import { currentPrincipal, withDeadline, engineRefusal, principalOf, runAs } from './principal.ts'
import { writeAs, type Tx, type Write } from './write.ts'

/**
 * The context of every handler. The access rule of the operation adds `repo`, `workspace` and a
 * narrower type of `caller`.
 */
export type Context = {
  readonly hearth: Hearth
  readonly db: Db
  readonly git: Git
  readonly write: Write
  /** The time of the call. */
  readonly now: Timestamp
  readonly now_ms: number
  /** The origin of the request. */
  readonly origin: Origin
  /** Aborts when the client disconnects or the process stops. */
  readonly signal: AbortSignal
  /** The uploaded file; null unless the operation takes one and the request has one. */
  readonly bytes: IncomingBytes | null
  /** Reports progress to the client, for operations with `progress`. */
  readonly progress: Progress
}

/**
 * For calls that wait or stream: decides the access again, with the caller and the facts of now.
 * Throws the Refusal of `decide` once the right is lost, and 401 once the credential has ended.
 */
export type Renewable<G> = { readonly currentGrant: () => G }

/** One event of a stream. `id` is where a client goes on after it was disconnected. */
export type StreamEvent = {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A file that is being uploaded. Its stream can be read once. */
export type IncomingBytes = {
  readonly stream: AsyncIterable<Uint8Array>
  /** The media type that the client sent; null when it sent none. */
  readonly type: string | null
  /** The announced length in bytes; null when unknown. */
  readonly length: number | null
}

/** `done` of `total` in any unit. `done` only grows. An unknown total is null. */
export type Progress = (done: number, total: number | null, message?: string) => void

const ignoreProgress: Progress = () => {}

export type Annotations = { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }

/**
 * `core`: in the set for one agent at work on one change, and by default. `default`: when a client
 * chooses no set. Null: in its own toolset only.
 */
export type ToolListing = 'core' | 'default' | null

export type Operation = {
  readonly name: string
  readonly summary: string
  /**
   * `METHOD /path`, with `/v1` where the written form has it; several when it serves a repository
   * and a workspace.
   */
  readonly routes: readonly string[]
  readonly tool: boolean
  readonly aliases: readonly string[]
  /** The input that an alias stands for beside the operation. */
  readonly aliasInputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly toolset: string
  readonly listed: ToolListing
  /** What users call it, for `find_tools`: words that name and summary do not have. */
  readonly keywords: readonly string[]
  readonly access: Rule
  readonly input: TObject
  readonly output: TSchema
  /** The HTTP status of success. */
  readonly status: 200 | 201 | 202 | 204
  /** Whether nothing was made, because it was there: REST then answers 200 and not 201. */
  readonly existed: ((output: unknown) => boolean) | null
  readonly list: Paging | null
  readonly preview: boolean
  readonly annotations: Annotations
  /** Whether the response shows a secret once, so that it must not be stored for replay. */
  readonly secretAnswer: boolean
  /** The maximum bytes of a REST body; null for the default limit. */
  readonly bodyLimit: number | null
  /** Whether the REST body is a file and the inputs are in the query. */
  readonly rawBody: boolean
  /** Whether the file may also come in a multipart form, with the inputs as its fields. */
  readonly multipartBody: boolean
  /** The target when the REST response is a 302. Tools get the record itself. */
  readonly redirect: ((output: unknown) => string) | null
  readonly validator: Validator
  /** What is wrong with an input that the validator refuses; null leaves it to the validator. */
  readonly explainInvalid: (input: unknown) => Refusal | null
  /**
   * JSON pointers into the output to text by people without Write, or from outside; null when the
   * output has no such text.
   */
  readonly untrusted:
    | ((
        output: unknown,
        context: Context & { caller: Caller },
        input: unknown,
      ) => readonly string[])
    | null
  /**
   * The whole list for a download, one record after the other; null without a download. It is read
   * as fast as it is sent.
   */
  readonly lines:
    | ((context: Context & { caller: Caller }, input: unknown) => Iterable<unknown>)
    | null
  /**
   * The whole as text, for `Accept: text/plain`; null without one. It is read as fast as it is sent,
   * and throws once the caller has lost the right.
   */
  readonly text:
    | ((context: Context & { caller: Caller }, input: unknown) => AsyncGenerator<string>)
    | null
  /**
   * What happens from now on, for `Accept: text/event-stream`. It yields null at least every few
   * seconds, and throws once the caller has lost the right.
   */
  readonly follow:
    | ((
        context: Context & { caller: Caller },
        input: unknown,
        lastEventId: string | null,
      ) => AsyncGenerator<StreamEvent | null>)
    | null
  /** Whether it reports progress. A tool call that requests progress gets a stream of events. */
  readonly progress: boolean
  /** Called by `call` only, after access was decided and the input validated. */
  run(context: Context & { caller: Caller }, input: unknown): unknown
}

/** An operation with the types of its input and output, for callers inside the program. */
export type Typed<I, O> = Operation & { readonly __input?: I; readonly __output?: O }

type Definition<P extends TProperties, O extends TSchema, G> = {
  name: string
  /** One to three sentences, at most 300 characters: effect, who may call it, response. */
  summary: string
  /** Null keeps it off REST (website or git only). */
  route: string | readonly string[] | null
  /** Whether it is a tool; by default every operation with a route is one. */
  tool?: boolean
  /** Other names that a tool call may use. */
  aliases?: readonly string[]
  /** Aliases that also stand for an input, such as `search_code` for `type: 'code'`. */
  aliasInputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The toolset that it belongs to. */
  toolset?: string
  /** Where the tool server lists it beside its toolset; nowhere by default. */
  listed?: ToolListing
  /** What users call it, for `find_tools`: words that name and summary do not have. */
  keywords?: readonly string[]
  access: Access<G>
  input: TObject<P>
  /**
   * Names the fault in an input that the schema refuses, where the validator's own message would be
   * poor (a union of many variants). Null leaves it to the validator.
   */
  explainInvalid?: (input: unknown) => Refusal | null
  output: O
  status?: 200 | 201 | 202 | 204
  /** For a status of 201: whether nothing was made, because it was there. REST answers 200. */
  existed?: (output: Static<O>) => boolean
  list?: Paging
  preview?: boolean
  annotations?: Annotations
  secretAnswer?: boolean
  /** The maximum bytes of a REST body, when the default of 1 MiB is too low. */
  bodyLimit?: number
  /** The REST body is a file (`bytes` of the context), and the inputs are in the query. */
  rawBody?: boolean
  /** With `rawBody`: a multipart form is read too. Its file gives `name` unless a field does. */
  multipartBody?: boolean
  /** Reports progress through `progress` of its context. */
  progress?: boolean
  /** Makes the REST response a 302 to this address. */
  redirect?: (output: Static<O>) => string
  /**
   * JSON pointers (RFC 6901) to text in the output whose author has no Write on the repository, or
   * that was fetched from outside, such as `/comments/3/body`. Lists point into `/items`.
   */
  untrusted?: (
    output: Static<O>,
    context: Context & NoInfer<G>,
    input: Static<TObject<P>>,
  ) => readonly string[]
  /** All records that match the filters, for `?format=jsonl` of the REST route. */
  lines?: (context: Context & NoInfer<G>, input: Static<TObject<P>>) => Iterable<unknown>
  /** The whole as text, for `Accept: text/plain`. */
  text?: (
    context: Context & NoInfer<G> & Renewable<NoInfer<G>>,
    input: Static<TObject<P>>,
  ) => AsyncGenerator<string>
  /** Events from now on. Called again for each connection, with the id of the last event seen. */
  follow?: (
    context: Context & NoInfer<G> & Renewable<NoInfer<G>>,
    input: Static<TObject<P>>,
    lastEventId: string | null,
  ) => AsyncGenerator<StreamEvent | null>
  handler: (
    context: Context & NoInfer<G> & Renewable<NoInfer<G>>,
    input: Static<TObject<P>>,
  ) => Static<O> | Promise<Static<O>>
}

export function operation<P extends TProperties, O extends TSchema, G>(
  definition: Definition<P, O, G>,
): Typed<Static<TObject<P>>, Static<O>> {
  const { route, handler, existed, redirect, untrusted, lines, text, follow } = definition
  type Full = Context & NoInfer<G> & Renewable<NoInfer<G>>
  const routes = route === null ? [] : typeof route === 'string' ? [route] : route
  // Compiling the schemas of all operations would take half of the start.
  const validator = lazy(() => Compile(definition.input))
  return {
    name: definition.name,
    summary: definition.summary,
    routes,
    tool: definition.tool ?? route !== null,
    aliases: [...(definition.aliases ?? []), ...Object.keys(definition.aliasInputs ?? {})],
    aliasInputs: definition.aliasInputs ?? {},
    toolset: definition.toolset ?? 'core',
    listed: definition.listed ?? null,
    keywords: definition.keywords ?? [],
    access: definition.access,
    input: definition.input,
    output: definition.output,
    status: definition.status ?? 200,
    existed: existed ? (output) => existed(output as Static<O>) : null,
    list: definition.list ?? null,
    preview: definition.preview ?? false,
    annotations: definition.annotations ?? {},
    secretAnswer: definition.secretAnswer ?? false,
    bodyLimit: definition.bodyLimit ?? null,
    rawBody: definition.rawBody ?? false,
    multipartBody: definition.multipartBody ?? false,
    progress: definition.progress ?? false,
    redirect: redirect ? (output) => redirect(output as Static<O>) : null,
    untrusted: untrusted
      ? (output, context, input) =>
          untrusted(
            output as Static<O>,
            context as unknown as Context & NoInfer<G>,
            input as Static<TObject<P>>,
          )
      : null,
    lines: lines
      ? (context, input) =>
          lines(context as unknown as Context & NoInfer<G>, input as Static<TObject<P>>)
      : null,
    get validator() {
      return validator()
    },
    text: text
      ? (context, input) => text(context as unknown as Full, input as Static<TObject<P>>)
      : null,
    follow: follow
      ? (context, input, lastEventId) =>
          follow(context as unknown as Full, input as Static<TObject<P>>, lastEventId)
      : null,
    explainInvalid: definition.explainInvalid ?? (() => null),
    run: (context, input) => handler(context as unknown as Full, input as Static<TObject<P>>),
  }
}

export type CallOptions = {
  signal?: AbortSignal
  /** The origin of the request, for the audit log. */
  origin?: Origin
  /** Refuses unknown inputs, as the tool server does; by default they are ignored. */
  strict?: boolean
  /** For requests with an `Idempotency-Key`. `replayed` is called for a stored response. */
  idempotency?: Idempotency & { replayed?: () => void }
  /** The uploaded file. */
  bytes?: IncomingBytes
  progress?: Progress
  /** Receives the JSON pointers to untrusted text in the output (`Operation.untrusted`). */
  untrusted?: (pointers: readonly string[]) => void
  /** The time of `performance.now()` at which reading history is given up. */
  deadlineMs?: number
  /** Finds the caller again by their credential, for calls that wait; throws 401 when it ended. */
  currentCaller?: () => Caller
}

const neverAborted = new AbortController().signal

/** Runs one operation for a caller. Throws a Refusal for every error of the client. */
export async function call<I, O>(
  hearth: Hearth,
  operation: Typed<I, O>,
  caller: Caller,
  input: I,
  options: CallOptions = {},
): Promise<O> {
  const raw: unknown = input
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new Refusal('invalid', 'the input must be an object')
  const { idempotency } = options
  if (!operation.access.writes && !idempotency) {
    try {
      // Access, records and the marks of untrusted texts need the same facts, which are read once.
      const [answer] = readScope(hearth.db, () => [read(hearth, operation, caller, raw, options)])
      return (await answer) as O
    } catch (error) {
      throw engineRefusal(hearth, error) ?? error
    }
  }
  // Writes that arrive between two commits share what they read of the same caller and target. What
  // a handler reads before it writes is in the same scope.
  if (!idempotency) {
    const [answer] = readScope(hearth.db, () => {
      const [decided, valid] = prepare(hearth, operation, caller, raw, options)
      return [run(hearth, decided, valid, options)]
    })
    return (await answer) as O
  }
  const [decided, valid] = readScope(hearth.db, () =>
    prepare(hearth, operation, caller, raw, options),
  )
  return serialize(hearth, idempotency, async () => {
    const stored = findResponse(hearth.db, idempotency)
    if (stored) {
      idempotency.replayed?.()
      const context = contextOf(hearth, decided, options)
      reportUntrusted(operation, stored.answer, context, valid, options)
      return stored.answer as O
    }
    return (await run(hearth, decided, valid, options)) as O
  })
}

/**
 * The records of a list for a download. Access and validation are those of `call`. Throws a
 * TypeError for an operation without `lines`.
 */
export function callLines(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  input: Record<string, unknown>,
  options: CallOptions = {},
): Iterable<unknown> {
  if (!operation.lines) throw new TypeError(`${operation.name} cannot be downloaded`)
  const grant = decide(operation.access, caller, input, hearth.facts)
  const valid = validate(operation, input, options.strict ?? false)
  const context = contextOf(hearth, { operation, grant, target: input }, options)
  const records = whileAllowed(operation.lines(context, valid), context)
  return operation.untrusted ? markLines(operation, records, context, valid) : records
}

/** The same records. Throws a Refusal once the caller has lost the right, even to a slow reader. */
function* whileAllowed(
  records: Iterable<unknown>,
  { currentGrant }: Renewable<Grant>,
): Generator<unknown> {
  let checkedAt = performance.now()
  for (const record of records) {
    if (performance.now() - checkedAt >= RIGHTS_INTERVAL_MS) {
      currentGrant()
      checkedAt = performance.now()
    }
    yield record
  }
}

/**
 * The events of an operation from now on. Access and validation are those of `call`, and are done
 * before this returns. Throws a TypeError for an operation without `follow`.
 */
export function callFollow(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  input: Record<string, unknown>,
  options: CallOptions & { readonly lastEventId: string | null },
): AsyncGenerator<StreamEvent | null> {
  if (!operation.follow) throw new TypeError(`${operation.name} has no stream of events`)
  const grant = decide(operation.access, caller, input, hearth.facts)
  const valid = validate(operation, input, options.strict ?? false)
  const context = contextOf(hearth, { operation, grant, target: input }, options)
  const events = operation.follow(context, valid, options.lastEventId)
  return operation.untrusted ? markEvents(operation, events, context, valid) : events
}

/**
 * The text of an operation. Access and validation are those of `call`, and are done before this
 * returns. Throws a TypeError for an operation without `text`.
 */
export function callText(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  input: Record<string, unknown>,
  options: CallOptions = {},
): AsyncGenerator<string> {
  if (!operation.text) throw new TypeError(`${operation.name} is no text`)
  const grant = decide(operation.access, caller, input, hearth.facts)
  const valid = validate(operation, input, options.strict ?? false)
  return operation.text(contextOf(hearth, { operation, grant, target: input }, options), valid)
}

/** Records that are marked with one call. */
const MARKED_BATCH = 100

function* markLines(
  operation: Operation,
  records: Iterable<unknown>,
  context: Context & { caller: Caller },
  input: unknown,
): Generator<unknown> {
  let batch: unknown[] = []
  for (const record of records) {
    batch.push(record)
    if (batch.length < MARKED_BATCH) continue
    yield* markRecords(operation, batch, context, input)
    batch = []
  }
  yield* markRecords(operation, batch, context, input)
}

async function* markEvents(
  operation: Operation,
  events: AsyncGenerator<StreamEvent | null>,
  context: Context & { caller: Caller },
  input: unknown,
): AsyncGenerator<StreamEvent | null> {
  for await (const event of events)
    yield event && {
      ...event,
      data: markRecords(operation, [event.data], context, input)[0],
    }
}

/**
 * Records of a list, each with the pointers to its untrusted text in `_untrusted`, as in results of
 * tools. A stream has no header that could hold them.
 */
function markRecords(
  operation: Operation,
  items: readonly unknown[],
  context: Context & { caller: Caller },
  input: unknown,
): readonly unknown[] {
  const pointers = items.map((): string[] => [])
  for (const pointer of untrustedIn(operation, { items, next: null }, context, input)) {
    const [, index, rest] = /^\/items\/(\d+)(\/.*)$/.exec(pointer) ?? []
    if (rest !== undefined) pointers[Number(index)]?.push(rest)
  }
  return items.map((item, index) =>
    pointers[index]?.length ? { ...(item as object), _untrusted: pointers[index] } : item,
  )
}

/** A call whose access was decided. */
type Decided = {
  readonly operation: Operation
  readonly grant: Grant
  /** The target as the client named it. */
  readonly target: Target
}

/** Decides access and validates the input. */
function prepare(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  raw: object,
  options: CallOptions,
): [decided: Decided, valid: unknown] {
  const target = raw as Target
  const grant = decide(operation.access, caller, target, hearth.facts)
  const valid = validate(operation, raw as Record<string, unknown>, options.strict ?? false)
  requireDiskSpace(hearth, operation)
  return [{ operation, target, grant }, valid]
}

/** Runs a handler for its principal. Reads are given up at the deadline. */
function runHandler(
  { operation, grant }: Decided,
  context: Context & { caller: Caller },
  valid: unknown,
  options: CallOptions,
): unknown {
  const deadlineMs = options.deadlineMs ?? currentPrincipal()?.deadlineMs ?? null
  const running = runAs(
    principalOf(grant.caller, () => options.origin ?? nowhere),
    () => operation.run(context, valid),
    deadlineMs,
  )
  return deadlineMs !== null && !operation.access.writes && running instanceof Promise
    ? withDeadline(running, deadlineMs)
    : running
}

/** Runs an operation that changes nothing; synchronously if its handler is. */
function read(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  raw: object,
  options: CallOptions,
): unknown {
  const [decided, valid] = prepare(hearth, operation, caller, raw, options)
  const context = contextOf(hearth, decided, options)
  const finish = (answer: unknown): unknown => {
    reportUntrusted(operation, answer, context, valid, options)
    return answer
  }
  const answer = runHandler(decided, context, valid, options)
  return answer instanceof Promise ? answer.then(finish) : finish(answer)
}

async function run(
  hearth: Hearth,
  decided: Decided,
  valid: unknown,
  options: CallOptions,
): Promise<unknown> {
  const { idempotency } = options
  const { operation } = decided
  const { caller } = decided.grant
  const store = (tx: Tx, answer: unknown) => {
    if (!idempotency) return
    recordResponse(tx, idempotency, operation.secretAnswer ? withoutSecret(answer) : answer)
  }
  let written: unknown
  const context = contextOf(hearth, decided, options, (run) =>
    writeAs(
      hearth,
      caller,
      (tx) => {
        const result = run(tx)
        // The response is stored in the transaction of the change, so a retry after a crash finds
        // both or neither. A write without a result stores nothing, because an empty row would be
        // replayed as the response.
        if (idempotency && result !== undefined) store(tx, (written = result))
        return result
      },
      options.origin,
    ),
  )
  let answer: unknown
  try {
    answer = await runHandler(decided, context, valid, options)
  } catch (error) {
    throw engineRefusal(hearth, error) ?? error
  }
  if (idempotency && written !== answer) await writeAs(hearth, caller, (tx) => store(tx, answer))
  reportUntrusted(operation, answer, context, valid, options)
  return answer
}

function contextOf(
  hearth: Hearth,
  { operation, grant, target }: Decided,
  options: CallOptions,
  write: Write = (run) => writeAs(hearth, grant.caller, run, options.origin),
): Context & { caller: Caller } & Renewable<Grant> {
  const now_ms = hearth.clock.now()
  return {
    hearth,
    db: hearth.db,
    git: hearth.git,
    now_ms,
    write,
    origin: options.origin ?? nowhere,
    progress: options.progress ?? ignoreProgress,
    bytes: options.bytes ?? null,
    ...grant,
    currentGrant: () =>
      decide(operation.access, options.currentCaller?.() ?? grant.caller, target, hearth.facts),
    // Getters, because together these two cost as much as a simple read.
    get now() {
      return timestamp(now_ms)
    },
    get signal() {
      return options.signal ?? neverAborted
    },
  }
}

function reportUntrusted(
  operation: Operation,
  answer: unknown,
  context: Context & { caller: Caller },
  input: unknown,
  options: CallOptions,
): void {
  if (!options.untrusted) return
  const pointers = untrustedIn(operation, answer, context, input)
  if (pointers.length > 0) options.untrusted(pointers)
}

function untrustedIn(
  { untrusted }: Operation,
  answer: unknown,
  context: Context & { caller: Caller },
  input: unknown,
): readonly string[] {
  return untrusted ? readScope(context.hearth.db, () => untrusted(answer, context, input)) : []
}

/** A response without its secret, which is at the top level or in `token`. */
function withoutSecret(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const token = 'token' in answer ? { token: withoutSecret(answer.token) } : {}
  return { ...answer, ...token, ...('secret' in answer ? { secret: null } : {}) }
}

/**
 * The validated input. Values that arrived as text (path, query, digits from a tool) are converted
 * to the type of the schema where nothing is lost. Throws 422 with the dotted name of the field.
 */
export function validate(
  operation: Operation,
  input: Record<string, unknown>,
  strict: boolean,
): unknown {
  if (strict) {
    const unknown = Object.keys(input).find(
      (name) => !Object.hasOwn(operation.input.properties, name),
    )
    if (unknown !== undefined) {
      const names = Object.keys(operation.input.properties)
      throw new Refusal(
        'invalid',
        `${operation.name} has no input ${JSON.stringify(unknown.slice(0, 60))}; it takes ${names.join(', ') || 'none'}`,
        {
          reason: 'unknown_input',
          field: unknown.slice(0, 200),
        },
      )
    }
  }
  if ((operation.list === 'before' || operation.list === 'after') && input.page !== undefined) {
    throw new Refusal('invalid', `this list has no numbered pages; use ${operation.list}`, {
      field: 'page',
    })
  }
  if (operation.validator.Check(input)) return input
  const converted = convert(operation.input, input)
  if (operation.validator.Check(converted)) return converted
  throw (
    operation.explainInvalid(converted) ??
    invalidInput(operation.input, Value.Errors(operation.input, converted))
  )
}

/**
 * Converts digits to numbers, and `true`, `false`, `1`, `0` to booleans; nothing else. It takes no
 * time for what the schema does not know: a list is cut behind the first item that is too many, so
 * that it is refused at the cost of a list that is permitted.
 */
function convert(schema: TSchema, value: unknown): unknown {
  const { type, properties, items, maxItems } = schema as {
    type?: string
    properties?: Record<string, TSchema>
    items?: TSchema
    maxItems?: number
  }
  if (typeof value === 'string') return convertText(type, value)
  if (Array.isArray(value)) {
    if (!items) return value
    const bounded =
      maxItems !== undefined && value.length > maxItems ? value.slice(0, maxItems + 1) : value
    return bounded.map((item) => convert(items, item))
  }
  if (typeof value !== 'object' || value === null || !properties) return value
  const before = value as Record<string, unknown>
  let after = before
  for (const [key, property] of Object.entries(properties)) {
    if (!Object.hasOwn(before, key)) continue
    const converted = convert(property, before[key])
    if (converted === before[key]) continue
    if (after === before) after = { ...before }
    after[key] = converted
  }
  return after
}

function convertText(type: string | undefined, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type !== 'boolean') return text
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
}
