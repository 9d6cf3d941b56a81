/**
 * Operations: the whole interface of the forge as values. REST, the tool server, the website, the
 * description and the tests all enter through `call`, so that validation, rights and errors exist
 * once.
 */
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Git } from '#git'
import { Refusal } from '#lib/errors.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import { decide, type Access, type Grant, type Rule } from './access.ts'
import { nowhere, type Origin } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Db } from './db.ts'
import type { Hearth } from './hearth.ts'
import { findAnswer, inTurn, recordAnswer, type Idempotency } from './idempotency.ts'
import { look } from './look.ts'
import type { Paging } from './page.ts'
import { requireRoom } from './room.ts'
import { currentPrincipal, withDeadline, overloaded, principalOf, runAs } from './work.ts'
import { writeAs, type Tx, type Write } from './write.ts'

/**
 * What every handler gets; the rule of the operation adds `repo`, `workspace` and a narrower
 * `caller`.
 */
export type Context = {
  readonly hearth: Hearth
  readonly db: Db
  readonly git: Git
  readonly write: Write
  /** The moment of the call. */
  readonly now: Timestamp
  readonly now_ms: number
  /** Where the request came from. */
  readonly origin: Origin
  /** Ends when the client has gone away or the process stops. */
  readonly signal: AbortSignal
  /**
   * The bytes that came beside the input; null unless the operation takes such and a door had them.
   */
  readonly bytes: IncomingBytes | null
  /** Tells whoever waits how far this is; only of operations that say they report it. */
  readonly progress: Progress
}

/** A file on its way in. It is read once, as fast as it is wanted. */
export type IncomingBytes = {
  readonly stream: AsyncIterable<Uint8Array>
  /** As the sender names it; null when it does not. */
  readonly type: string | null
  /** How many are announced; null when that is not known. */
  readonly length: number | null
}

/** `done` of `total`, in any unit; it only grows. A total that is not known is null. */
export type Progress = (done: number, total: number | null, message?: string) => void

const untold: Progress = () => {}

export type Annotations = { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }

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
  readonly toolset: string
  readonly access: Rule
  readonly input: TObject
  readonly output: TSchema
  /** The HTTP status of success. */
  readonly status: 200 | 201 | 202 | 204
  readonly list: Paging | null
  readonly preview: boolean
  readonly annotations: Annotations
  /** Answers that must not be kept for replay, because they show a secret once. */
  readonly secretAnswer: boolean
  /** The most bytes that the REST door takes as a body; null for the usual limit. */
  readonly bodyLimit: number | null
  /** Over REST the body is a file, and the inputs are in the query. */
  readonly rawBody: boolean
  /** Over REST the answer is a 302 to this address; tools get the record itself. */
  readonly redirect: ((output: unknown) => string) | null
  readonly validator: Validator
  /**
   * JSON pointers into the output to text by people without Write, or from outside; null when there
   * is none of it.
   */
  readonly untrusted:
    | ((
        output: unknown,
        context: Context & { caller: Caller },
        input: unknown,
      ) => readonly string[])
    | null
  /**
   * The whole list as it can be downloaded, one record after the other; null for none. Read only as
   * fast as it is sent.
   */
  readonly lines:
    | ((context: Context & { caller: Caller }, input: unknown) => Iterable<unknown>)
    | null
  /**
   * Whether it reports how far it is; then a tool call that asks for that is answered with a stream
   * of events.
   */
  readonly progress: boolean
  /** Called only by `call`, after access is decided and the input is valid. */
  run(context: Context & { caller: Caller }, input: unknown): unknown
}

/** An operation with the types of its input and output, for callers inside the program. */
export type Typed<I, O> = Operation & { readonly __input?: I; readonly __output?: O }

type GrantOf<A> = A extends Access<infer G> ? G : never

type Definition<P extends TProperties, O extends TSchema, G> = {
  name: string
  /**
   * One to three sentences, at most 300 characters: what it does, who may call it, what the answer
   * holds.
   */
  summary: string
  /** Null keeps it off REST (website or git only). */
  route: string | readonly string[] | null
  /**
   * False keeps it off the tool server; an operation without a route is never a tool unless this
   * says so.
   */
  tool?: boolean
  /** Other names that a tool call may use. */
  aliases?: readonly string[]
  /** The toolset it belongs to; the name of its feature's set. */
  toolset?: string
  access: Access<G>
  input: TObject<P>
  output: O
  status?: 200 | 201 | 202 | 204
  list?: Paging
  preview?: boolean
  annotations?: Annotations
  secretAnswer?: boolean
  /** The most bytes of a REST body, when 1 MiB is not enough. */
  bodyLimit?: number
  /**
   * Over REST the body is a file of any type, which comes as `bytes` of the context; the inputs are
   * in the query.
   */
  rawBody?: boolean
  /** Reports how far it is, through `progress` of its context. */
  progress?: boolean
  /** Makes the REST answer a 302 to this address. */
  redirect?: (output: Static<O>) => string
  /**
   * Where in the output there is text that was written by someone without Write on the repository,
   * or fetched from outside: JSON pointers (RFC 6901) such as `/comments/3/body`. Lists point into
   * `/items`.
   */
  untrusted?: (
    output: Static<O>,
    context: Context & NoInfer<G>,
    input: Static<TObject<P>>,
  ) => readonly string[]
  /**
   * Makes `?format=jsonl` of the REST route answer everything that the filters let through, as one
   * record a line.
   */
  lines?: (context: Context & NoInfer<G>, input: Static<TObject<P>>) => Iterable<unknown>
  handler: (
    context: Context & NoInfer<G>,
    input: Static<TObject<P>>,
  ) => Static<O> | Promise<Static<O>>
}

export function operation<P extends TProperties, O extends TSchema, G>(
  definition: Definition<P, O, G>,
): Typed<Static<TObject<P>>, Static<O>> {
  const { route, handler, redirect, untrusted, lines } = definition
  const routes = route === null ? [] : typeof route === 'string' ? [route] : route
  return {
    name: definition.name,
    summary: definition.summary,
    routes,
    tool: definition.tool ?? route !== null,
    aliases: definition.aliases ?? [],
    toolset: definition.toolset ?? 'core',
    access: definition.access,
    input: definition.input,
    output: definition.output,
    status: definition.status ?? 200,
    list: definition.list ?? null,
    preview: definition.preview ?? false,
    annotations: definition.annotations ?? {},
    secretAnswer: definition.secretAnswer ?? false,
    bodyLimit: definition.bodyLimit ?? null,
    rawBody: definition.rawBody ?? false,
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
    validator: Compile(definition.input),
    run: (context, input) =>
      handler(context as unknown as Context & NoInfer<G>, input as Static<TObject<P>>),
  }
}

export type { GrantOf }

export type CallOptions = {
  signal?: AbortSignal
  /** Where the request came from, for the audit log. */
  origin?: Origin
  /**
   * Refuse names that the input does not have, as the tool server does; otherwise they are ignored.
   */
  strict?: boolean
  /**
   * Set by a door for a repeatable request; `replayed` is called when the answer is one that was
   * kept.
   */
  idempotency?: Idempotency & { replayed?: () => void }
  /** What comes beside the input, for operations that take a file. */
  bytes?: IncomingBytes
  /** Told how far the operation is. */
  progress?: Progress
  /** Told where the answer holds text by people without Write (see `untrusted` of an operation). */
  untrusted?: (pointers: readonly string[]) => void
  /** When reading history for it is given up, as `performance.now()` tells the time. */
  until?: number
}

const never = new AbortController().signal

/** Runs one operation for a caller. Gives a Refusal for everything the client is to blame for. */
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
  const grant = decide(
    operation.access,
    caller,
    raw as { repo?: unknown; workspace?: unknown },
    hearth.facts,
  )
  const valid = validate(operation, raw as Record<string, unknown>, options.strict ?? false)
  requireRoom(hearth, operation)
  const { idempotency } = options
  if (!idempotency) return (await run(hearth, operation, caller, grant, valid, options)) as O
  return inTurn(hearth, idempotency, async () => {
    const kept = findAnswer(hearth.db, idempotency)
    if (kept) {
      idempotency.replayed?.()
      tellUntrusted(
        operation,
        kept.answer,
        contextOf(hearth, caller, grant, options),
        valid,
        options,
      )
      return kept.answer as O
    }
    return (await run(hearth, operation, caller, grant, valid, options)) as O
  })
}

/**
 * The records of a list for a download, decided and validated as a call is. Gives a TypeError for
 * an operation without `lines`.
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
  return operation.lines(contextOf(hearth, caller, grant, options), valid)
}

async function run(
  hearth: Hearth,
  operation: Operation,
  caller: Caller,
  grant: Grant,
  valid: unknown,
  options: CallOptions,
): Promise<unknown> {
  const { idempotency } = options
  const keep = (tx: Tx, answer: unknown) =>
    recordAnswer(tx, idempotency!, operation.secretAnswer ? withoutSecret(answer) : answer)
  let written: unknown
  const context = contextOf(hearth, caller, grant, options, (run) =>
    writeAs(
      hearth,
      caller,
      (tx) => {
        const result = run(tx)
        // The answer is kept in the same transaction as the change, so that a retry after a crash
        // finds both or neither. What has no answer yet keeps none: a key without an answer would
        // be given back as one.
        if (idempotency && result !== undefined) keep(tx, (written = result))
        return result
      },
      options.origin,
    ),
  )
  let answer: unknown
  try {
    const until = options.until ?? currentPrincipal()?.until ?? null
    const answering = runAs(
      principalOf(caller, () => options.origin ?? nowhere),
      () => operation.run(context, valid),
      until,
    )
    answer = await (until !== null && !operation.access.writes && answering instanceof Promise
      ? withDeadline(answering, until)
      : answering)
  } catch (error) {
    throw overloaded(hearth, error) ?? error
  }
  if (idempotency && written !== answer) await writeAs(hearth, caller, (tx) => keep(tx, answer))
  tellUntrusted(operation, answer, context, valid, options)
  return answer
}

function contextOf(
  hearth: Hearth,
  caller: Caller,
  grant: Grant,
  options: CallOptions,
  write: Write = (run) => writeAs(hearth, caller, run, options.origin),
): Context & { caller: Caller } {
  const now_ms = hearth.clock.now()
  return {
    hearth,
    db: hearth.db,
    git: hearth.git,
    now_ms,
    write,
    origin: options.origin ?? nowhere,
    progress: options.progress ?? untold,
    bytes: options.bytes ?? null,
    ...grant,
    caller,
    // These two are made when asked for: together they cost as much as a simple read.
    get now() {
      return timestamp(now_ms)
    },
    get signal() {
      return options.signal ?? never
    },
  }
}

function tellUntrusted(
  operation: Operation,
  answer: unknown,
  context: Context & { caller: Caller },
  input: unknown,
  options: CallOptions,
): void {
  const { hearth } = context
  if (!options.untrusted || !operation.untrusted) return
  const { untrusted } = operation
  const pointers = look(hearth.db, () => untrusted(answer, context, input))
  if (pointers.length > 0) options.untrusted(pointers)
}

/** Takes the secret out, which stands on top or in the token that an answer holds. */
function withoutSecret(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const token = 'token' in answer ? { token: withoutSecret(answer.token) } : {}
  return { ...answer, ...token, ...('secret' in answer ? { secret: null } : {}) }
}

/**
 * The input as its schema describes it. Values that came as text (a path, a query, digits from a
 * tool) are converted where that loses nothing. Gives 422 with the field, dotted for depth.
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
  if ((operation.list === 'before' || operation.list === 'after') && input['page'] !== undefined) {
    throw new Refusal('invalid', `this list has no numbered pages; use ${operation.list}`, {
      field: 'page',
    })
  }
  if (operation.validator.Check(input)) return input
  const converted = convert(operation.input, input)
  if (operation.validator.Check(converted)) return converted
  throw describe(operation, converted)
}

/** Only digits become numbers and only the four words become booleans: nothing is guessed. */
function convert(schema: TSchema, value: unknown): unknown {
  const { type, properties, items } = schema as {
    type?: string
    properties?: Record<string, TSchema>
    items?: TSchema
  }
  if (typeof value === 'string') {
    if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
    if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value)
    if (type === 'boolean')
      return value === 'true' || value === '1'
        ? true
        : value === 'false' || value === '0'
          ? false
          : value
    return value
  }
  if (Array.isArray(value)) return items ? value.map((item) => convert(items, item)) : value
  if (typeof value === 'object' && value !== null && properties) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        Object.hasOwn(properties, key) ? convert(properties[key] as TSchema, inner) : inner,
      ]),
    )
  }
  return value
}

/** The first thing that is wrong, in words. */
function describe(operation: Operation, input: unknown): Refusal {
  const [first] = Value.Errors(operation.input, input)
  if (!first) return new Refusal('invalid', 'the input is not valid')
  const missing = (first.params as { requiredProperties?: string[] }).requiredProperties?.[0]
  const path = first.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (missing !== undefined) path.push(missing)
  const field = path
    .reduce(
      (text, part) =>
        /^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
      '',
    )
    .slice(0, 200)
  return new Refusal(
    'invalid',
    `${field || 'the input'} ${missing === undefined ? first.message : 'is required'}`,
    { field: field || undefined },
  )
}
