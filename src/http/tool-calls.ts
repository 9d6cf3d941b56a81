/**
 * Runs a tool: takes the tool server's own inputs away, calls the operation, and makes the answer
 * fit.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { mayEverCall } from '#core/access.ts'
import type { Origin } from '#core/audit.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type CallOptions, type Progress } from '#core/operation.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { idempotencyOf } from './rest.ts'
import { unknownName } from './shape.ts'
import {
  byKey,
  byPageNumber,
  checkFields,
  cutAnswer,
  listItem,
  pointsInto,
  USUAL_LENGTH,
  type Continue,
} from './tool-answer.ts'
import { ALIASES, EXTRAS, SEARCH_ALIASES, toolPlan, type ToolPlan } from './tools.ts'
import { isAllowed, isListed, type Selection } from './toolsets.ts'

type Json = Record<string, unknown>

/** One HTTP request to the tool server. */
export type Connection = {
  readonly id: string
  readonly caller: SignedIn
  readonly selection: Selection
  readonly signal: AbortSignal
  readonly origin: Origin
  /** By when an answer is given, as `performance.now()` tells the time. */
  readonly until: number
  /** Tells the client how far a call is, when it asked to be told. */
  progress: Progress | null
  /** Set when a limit was passed: that is an HTTP answer, not a result. */
  limited: Refusal | null
  /** For the log. */
  tool: string | null
}

const FIND: Tool = {
  name: 'find_tools',
  description:
    'Finds tools by words of what you want to do, listed here or not. Answers names, descriptions and input schemas for call_tool.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', minLength: 1, maxLength: 200 } },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: {
    title: 'Find tools',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

const CALL: Tool = {
  name: 'call_tool',
  description:
    'Calls any tool by its name, also one that is not listed here. Find names and inputs with find_tools.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      arguments: { type: 'object', description: 'The inputs of that tool.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: {
    title: 'Call tool',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export class Tools {
  readonly #plans: ReadonlyMap<string, ToolPlan>
  readonly #sorted: readonly ToolPlan[]

  constructor(private readonly hearth: Hearth) {
    this.#sorted = hearth.operations
      .filter(({ tool }) => tool)
      .map(toolPlan)
      .sort((a, b) => (a.operation.name < b.operation.name ? -1 : 1))
    this.#plans = new Map(this.#sorted.map((plan) => [plan.operation.name, plan]))
  }

  /** The tools of a connection that the caller's kind and scopes can use, by name. */
  list({ caller, selection }: Connection): Tool[] {
    const tools = this.#sorted
      .filter(
        ({ operation }) => isListed(selection, operation) && mayEverCall(operation.access, caller),
      )
      .map((plan) => (selection.outputs ? plan.withOutput : plan.listing))
    return selection.discover
      ? [...tools, CALL, FIND].sort((a, b) => (a.name < b.name ? -1 : 1))
      : tools
  }

  /**
   * The plan that a name or alias stands for, with the input that the alias implies; null for no
   * tool.
   */
  #find(name: string): { plan: ToolPlan; implied: Json } | null {
    const direct = this.#plans.get(
      this.hearth.operationsByName.get(name)?.name ?? ALIASES[name] ?? '',
    )
    if (direct) return { plan: direct, implied: {} }
    const type = SEARCH_ALIASES[name]
    const search = type === undefined ? undefined : this.#plans.get('search')
    return search ? { plan: search, implied: { type } } : null
  }

  /** Whether a tool says how far it is while it works. */
  reportsProgress(name: string): boolean {
    return this.#find(name)?.plan.operation.progress ?? false
  }

  /**
   * Whether a name can be called at all; an unknown one is an error of the protocol, not of a tool.
   */
  has(name: string): boolean {
    return name === FIND.name || name === CALL.name || this.#find(name) !== null
  }

  /** Names that share words with this one. */
  near(name: string): string[] {
    return this.#search(name.replaceAll('_', ' '), 5).map(({ operation }) => operation.name)
  }

  #search(
    query: string,
    most: number,
    usable: (plan: ToolPlan) => boolean = () => true,
  ): ToolPlan[] {
    const wanted = query
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '')
    const scored = this.#sorted.filter(usable).map((plan) => {
      const name = plan.operation.name.split('_')
      const text = plan.operation.summary.toLowerCase()
      const score = wanted.reduce(
        (sum, word) =>
          sum +
          (name.includes(word)
            ? 4
            : name.some((part) => part.startsWith(word) || word.startsWith(part))
              ? 2
              : 0) +
          (text.includes(word) ? 1 : 0),
        0,
      )
      return { plan, score }
    })
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ plan }) => plan)
  }

  /** The result of a call; a refusal is a result too, with `isError`. */
  async call(connection: Connection, name: string, args: unknown): Promise<CallToolResult> {
    try {
      return result(await this.answer(connection, name, args ?? {}))
    } catch (error) {
      if (!(error instanceof Refusal)) {
        this.hearth.log.error('a tool failed', { request_id: connection.id, tool: name, error })
        return failure(
          new Refusal(
            'internal',
            'something went wrong here; it is in the log under this request id',
          ),
          connection.id,
        )
      }
      if (error.code === 'rate_limited') connection.limited = error
      return failure(error, connection.id)
    }
  }

  /**
   * The answer of a tool as a value; gives a Refusal where `call` gives a result of one. `whole`
   * leaves it uncut.
   */
  async answer(connection: Connection, name: string, args: unknown, whole = false): Promise<Json> {
    if (!isObject(args))
      throw new Refusal('invalid', 'the arguments of a tool are an object', { field: 'arguments' })
    if (name === FIND.name) return this.#findTools(connection, args)
    if (name === CALL.name) {
      const { name: inner, arguments: inputs = {}, ...others } = args
      const unknown = Object.keys(others)[0]
      if (unknown !== undefined) throw unknownInput(CALL.name, unknown, ['name', 'arguments'])
      if (typeof inner !== 'string') throw invalid('name', 'name is required: the name of a tool')
      if (inner === CALL.name || !this.has(inner))
        throw invalid(
          'name',
          `there is no tool ${JSON.stringify(inner.slice(0, 60))}; find one with find_tools${this.#suggest(inner)}`,
        )
      return this.answer(connection, inner, inputs)
    }
    const found = this.#find(name)
    if (!found)
      throw new Refusal(
        'not_found',
        `there is no tool ${JSON.stringify(name.slice(0, 60))}${this.#suggest(name)}`,
      )
    return this.#run(connection, found.plan, { ...found.implied, ...args }, whole)
  }

  #suggest(name: string): string {
    const near = this.near(name)
    return near.length > 0 ? `; near it are ${near.join(', ')}` : ''
  }

  #findTools(connection: Connection, args: Json): Json {
    const unknown = Object.keys(args).find((key) => key !== 'query')
    if (unknown !== undefined) throw unknownInput(FIND.name, unknown, ['query'])
    const { query } = args
    if (typeof query !== 'string' || query.trim() === '' || query.length > 200)
      throw invalid('query', 'query is required: words of what you want to do')
    const usable = ({ operation }: ToolPlan) =>
      isAllowed(connection.selection, operation) && mayEverCall(operation.access, connection.caller)
    return {
      tools: this.#search(query, 8, usable).map(({ listing }) => ({
        name: listing.name,
        description: listing.description,
        input_schema: listing.inputSchema,
      })),
    }
  }

  async #run(connection: Connection, plan: ToolPlan, args: Json, whole: boolean): Promise<Json> {
    const { caller, selection } = connection
    const { operation } = plan
    connection.tool = operation.name
    if (!isAllowed(selection, operation)) {
      throw new Refusal(
        'forbidden',
        selection.exclude.has(operation.name)
          ? `${operation.name} is excluded from this connection`
          : `this connection only reads, and ${operation.name} changes something`,
      )
    }
    const input: Json = { ...args }
    const taken = new Map<string, unknown>()
    for (const extra of plan.extras) {
      if (input[extra] !== undefined && input[extra] !== null) taken.set(extra, input[extra])
      delete input[extra]
    }
    const unknown = unknownName(plan.shape, input)
    if (unknown !== null)
      throw unknownInput(operation.name, unknown, [
        ...Object.keys(operation.input.properties),
        ...plan.extras,
      ])
    const limit = whole ? Number.POSITIVE_INFINITY : lengthOf(taken.get('max_chars'))
    const fields = fieldsOf(taken.get('fields'))
    if (fields) checkFields(fields, plan.itemFields)
    const window = windowOf(plan, input)
    let untrusted: readonly string[] = []
    const options: CallOptions = {
      strict: true,
      origin: connection.origin,
      untrusted: (pointers) => (untrusted = pointers),
      ...(connection.progress ? { progress: connection.progress } : { until: connection.until }),
      get signal() {
        return connection.signal
      },
    }
    const key = taken.get('idempotency_key')
    if (key !== undefined) {
      const idempotency = idempotencyOf(operation.name, caller, String(key), input)
      if (idempotency) options.idempotency = idempotency
    }
    const output = await call<unknown, unknown>(this.hearth, operation, caller, input, options)
    return shaped(plan, output, { limit, fields, window, untrusted })
  }
}

/** Misspelt names must not pass silently: an agent would believe that it had set something. */
function unknownInput(tool: string, name: string, known: readonly string[]): Refusal {
  const top = !/[.[]/.test(name)
  const help = top ? `it takes ${known.join(', ') || 'none'}` : 'see the schema of this input'
  return new Refusal(
    'invalid',
    `${tool} has no input ${JSON.stringify(name.slice(0, 60))}; ${help}`,
    { reason: 'unknown_input', field: name.slice(0, 200) },
  )
}

function lengthOf(value: unknown): number {
  if (value === undefined) return USUAL_LENGTH
  const length = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value
  const { minimum, maximum } = EXTRAS.max_chars
  if (
    typeof length !== 'number' ||
    !Number.isInteger(length) ||
    length < minimum ||
    length > maximum
  ) {
    throw invalid('max_chars', `max_chars is a whole number from ${minimum} to ${maximum}`)
  }
  return length
}

function fieldsOf(value: unknown): readonly string[] | null {
  if (value === undefined) return null
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value
  if (
    !Array.isArray(names) ||
    names.length === 0 ||
    names.length > 50 ||
    !names.every((name): name is string => typeof name === 'string')
  ) {
    throw invalid('fields', 'fields is an array of names')
  }
  return names
}

type Window = { readonly page: number; readonly size: number; readonly usual: number }

/** The page that is asked for, and its size; a cursor `PxN` is taken apart into the two. */
function windowOf({ operation }: ToolPlan, input: Json): Window | null {
  const { properties } = operation.input
  if (!('page' in properties) || !('per_page' in properties)) return null
  const perPage = properties['per_page'] as unknown as Json
  const usual = Number(perPage['x-default'] ?? perPage['default'] ?? 30)
  const most = Number(perPage['x-max'] ?? perPage['maximum'] ?? 100)
  const cursor =
    typeof input['cursor'] === 'string' ? /^(\d{1,9})x(\d{1,4})$/.exec(input['cursor']) : null
  if (cursor) {
    delete input['cursor']
    input['page'] = Number(cursor[1])
    input['per_page'] = Number(cursor[2])
  }
  const whole = (value: unknown, otherwise: number): number =>
    Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : otherwise
  return {
    page: whole(input['cursor'] ?? input['page'], 1),
    size: Math.min(whole(input['per_page'], usual), most),
    usual,
  }
}

type Shaping = {
  limit: number
  fields: readonly string[] | null
  window: Window | null
  untrusted: readonly string[]
}

function shaped(
  plan: ToolPlan,
  output: unknown,
  { limit, fields, window, untrusted }: Shaping,
): Json {
  let value: Json = isObject(output)
    ? { ...output }
    : Array.isArray(output)
      ? { items: output, next: null }
      : {}
  if (plan.isList) {
    const items = (value['items'] as unknown[]).map((item) => listItem(item, fields))
    // A cursor must carry a size other than the usual one, because only the cursor comes back.
    const { next } = value
    value = {
      ...value,
      items,
      next:
        typeof next === 'string' && window && window.size !== window.usual
          ? `${next}x${window.size}`
          : next,
    }
  }
  const { list } = plan.operation
  const goOn: Continue | null =
    window && list !== 'before' && list !== 'after'
      ? byPageNumber(window.page, window.size)
      : list === 'before'
        ? byKey('id')
        : list === 'after'
          ? byKey('seq')
          : null
  const cut = cutAnswer(value, limit, goOn)
  const places = Array.isArray(output) ? untrusted.map((pointer) => `/items${pointer}`) : untrusted
  const there = places.filter((pointer) => pointsInto(cut, pointer))
  return there.length > 0 ? { ...cut, _untrusted: there } : cut
}

const result = (value: Json): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

function failure(refusal: Refusal, id: string): CallToolResult {
  const body: Json = refusal.body(id)
  return { ...result(body), isError: true }
}
