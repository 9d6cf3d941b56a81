/**
 * Calls tools: removes the tool server's own inputs, calls the operation, and shortens the output
 * to the requested length.
 */
import { isObject } from '#lib/json-value.ts'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { mayEverCall } from '#core/access.ts'
import type { Origin } from '#core/audit.ts'
import type { Caller, SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { type CallOptions, call, type Operation, type Progress } from '#core/operation.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { lazy } from '#lib/lazy.ts'
import { MIB } from '../body.ts'
import { type CommitCache, commitCache } from '#core/commit-cache.ts'
import { idempotencyOf } from '../rest/rest-routes.ts'
import { unknownName } from '../shape.ts'
import { checkFields, DEFAULT_MAX_CHARS } from './tool-answer.ts'
import {
  errorResult,
  type PageRequest,
  shapeOutput,
  successResult,
  ToolOutput,
} from './tool-output.ts'
import { type ToolPlan, toolPlan } from './tool-plan.ts'
import { ToolSearch } from './tool-search.ts'
import { isAllowed, isListed, type Selection } from './tool-selection.ts'

type Json = Record<string, unknown>

/** One HTTP request to the tool server. */
export type ToolRequest = {
  readonly id: string
  readonly caller: SignedIn
  /** The `Authorization` header. */
  readonly credential: string
  readonly selection: Selection
  /** The text that the selection was made from. */
  readonly selectionKey: string
  readonly signal: AbortSignal
  readonly origin: Origin
  /** The time of `performance.now()` by which a response must be sent. */
  readonly deadlineMs: number
  /** Sends progress to the client; null if it did not request any. */
  progress: Progress | null
  /** Set when a rate limit is exceeded: that is an HTTP response, not a result. */
  rateRefusal: Refusal | null
  /** Set when a result has a secret: its response is not compressed. */
  showsSecret: boolean
  /** For the log. */
  tool: string | null
  /** Finds the caller again by the credential; throws 401 when it has ended. */
  readonly currentCaller: () => Caller
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

const MAX_FOUND_TOOLS = 8
const MAX_SIMILAR_TOOLS = 5

const MAX_CACHED_CHARACTERS = 32_000
/** The key of an entry and the objects of its value, beside the text. */
const ENTRY_BYTES = 1000

/** Outputs of reads, by credential and arguments. */
const toolOutputs = commitCache<ToolOutput>('tool-outputs', {
  maxSize: 8 * MIB,
  sizeOf: ({ text }) => 4 * text.length + ENTRY_BYTES,
})

export class Tools {
  readonly #operations: readonly Operation[]
  /** By the name of the operation; filled by the first call or listing of a tool. */
  readonly #plans = new Map<string, ToolPlan>()
  readonly #outputs: CommitCache<ToolOutput>
  readonly #search: () => ToolSearch

  constructor(private readonly hearth: Hearth) {
    this.#operations = hearth.operations
      .filter(({ tool }) => tool)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    this.#outputs = toolOutputs(hearth)
    this.#search = lazy(() => new ToolSearch(this.#operations))
  }

  #planOf(operation: Operation): ToolPlan {
    const existing = this.#plans.get(operation.name)
    if (existing) return existing
    const plan = toolPlan(operation)
    this.#plans.set(operation.name, plan)
    return plan
  }

  /** The listed tools that the caller's kind and scopes can use, by name. */
  list({ caller, selection }: ToolRequest): Tool[] {
    const tools = this.#operations
      .filter(
        (operation) => isListed(selection, operation) && mayEverCall(operation.access, caller),
      )
      .map((operation) => this.#planOf(operation))
      .map((plan) => (selection.outputs ? plan.withOutput : plan.listing))
    return selection.discover
      ? [...tools, CALL, FIND].sort((a, b) => (a.name < b.name ? -1 : 1))
      : tools
  }

  /** The tool that a name or alias stands for, with the input that the alias implies. */
  #find(name: string): { plan: ToolPlan; implied: Json } | null {
    const operation = this.hearth.operationsByName.get(name)
    if (!operation?.tool) return null
    return { plan: this.#planOf(operation), implied: { ...operation.aliasInputs[name] } }
  }

  /** Whether a tool reports its progress. */
  reportsProgress(name: string): boolean {
    return this.#find(name)?.plan.operation.progress ?? false
  }

  /** Whether a tool has this name. An unknown name is an error of the protocol, not of a tool. */
  has(name: string): boolean {
    return name === FIND.name || name === CALL.name || this.#find(name) !== null
  }

  /** Names that share words with this one. */
  findSimilar(name: string): string[] {
    return this.#search()
      .find(name.replaceAll('_', ' '), MAX_SIMILAR_TOOLS)
      .map((operation) => operation.name)
  }

  /** The result of a call; a refusal is a result too, with `isError`. */
  async call(request: ToolRequest, name: string, args: unknown): Promise<CallToolResult> {
    try {
      return successResult(await this.#answer(request, name, args ?? {}))
    } catch (error) {
      if (!(error instanceof Refusal)) {
        this.hearth.log.error('a tool failed', { request_id: request.id, tool: name, error })
        return errorResult(
          new Refusal(
            'internal',
            'something went wrong here; it is in the log under this request id',
          ),
          request.id,
        )
      }
      if (error.code === 'rate_limited') request.rateRefusal = error
      return errorResult(error, request.id)
    }
  }

  /**
   * The output of a tool as a value. Throws a Refusal where `call` returns it as a result.
   * `isWhole` leaves the output with every field and at its full length.
   */
  async answer(request: ToolRequest, name: string, args: unknown, isWhole = false): Promise<Json> {
    return (await this.#answer(request, name, args, isWhole)).value
  }

  async #answer(
    request: ToolRequest,
    name: string,
    args: unknown,
    isWhole = false,
  ): Promise<ToolOutput> {
    if (!isObject(args))
      throw new Refusal('invalid', 'the arguments of a tool are an object', { field: 'arguments' })
    if (name === FIND.name) return new ToolOutput(this.#findTools(request, args))
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
      return this.#answer(request, inner, inputs)
    }
    const found = this.#find(name)
    if (!found)
      throw new Refusal(
        'not_found',
        `there is no tool ${JSON.stringify(name.slice(0, 60))}${this.#suggest(name)}`,
      )
    return this.#run(request, found.plan, { ...found.implied, ...args }, isWhole)
  }

  #suggest(name: string): string {
    const similar = this.findSimilar(name)
    return similar.length > 0 ? `; near it are ${similar.join(', ')}` : ''
  }

  #findTools(request: ToolRequest, args: Json): Json {
    const unknown = Object.keys(args).find((key) => key !== 'query')
    if (unknown !== undefined) throw unknownInput(FIND.name, unknown, ['query'])
    const { query } = args
    if (typeof query !== 'string' || query.trim() === '' || query.length > 200)
      throw invalid('query', 'query is required: words of what you want to do')
    const isUsable = (operation: Operation): boolean =>
      isAllowed(request.selection, operation) && mayEverCall(operation.access, request.caller)
    const found = this.#search().find(query, MAX_FOUND_TOOLS, isUsable)
    return {
      tools: found
        .map((operation) => this.#planOf(operation))
        .map(({ listing }) => ({
          name: listing.name,
          description: listing.description,
          input_schema: listing.inputSchema,
        })),
    }
  }

  async #run(
    request: ToolRequest,
    plan: ToolPlan,
    args: Json,
    isWhole: boolean,
  ): Promise<ToolOutput> {
    const { selection } = request
    const { operation } = plan
    request.tool = operation.name
    request.showsSecret ||= plan.showsSecret
    if (!isAllowed(selection, operation)) {
      throw new Refusal(
        'forbidden',
        selection.exclude.has(operation.name)
          ? `${operation.name} is excluded from this connection`
          : `this connection only reads, and ${operation.name} changes something`,
      )
    }
    if (!plan.isCacheable || request.progress !== null)
      return this.#callOperation(request, plan, args, isWhole)
    const key = `${request.credential}\n${operation.name}\n${isWhole}\n${JSON.stringify(args)}`
    const cached = this.#outputs.get(key)
    if (cached) return cached
    const version = this.#outputs.version()
    const output = await this.#callOperation(request, plan, args, isWhole)
    if (!isWhole && output.text.length <= MAX_CACHED_CHARACTERS)
      this.#outputs.set(key, version, output)
    return output
  }

  async #callOperation(
    request: ToolRequest,
    plan: ToolPlan,
    args: Json,
    isWhole: boolean,
  ): Promise<ToolOutput> {
    const { caller } = request
    const { operation } = plan
    const { input, extras } = separateExtras(plan, args)
    const unknown = unknownName(plan.shape, input)
    if (unknown !== null)
      throw unknownInput(operation.name, unknown, [
        ...Object.keys(operation.input.properties),
        ...plan.extras,
      ])
    const maxChars = parseMaxChars(extras.get('max_chars'))
    const fields = parseFields(extras.get('fields'))
    if (fields) checkFields(fields, plan.itemFields)
    const page = takePage(plan, input)
    let untrusted: readonly string[] = []
    const options: CallOptions = {
      strict: true,
      get origin() {
        return request.origin
      },
      untrusted: (pointers) => (untrusted = pointers),
      currentCaller: request.currentCaller,
      ...(request.progress ? { progress: request.progress } : { deadlineMs: request.deadlineMs }),
      get signal() {
        return request.signal
      },
    }
    const key = extras.get('idempotency_key')
    if (key !== undefined) {
      const idempotency = idempotencyOf(operation.name, caller, String(key), input)
      if (idempotency) options.idempotency = idempotency
    }
    const output = await call<unknown, unknown>(this.hearth, operation, caller, input, options)
    return new ToolOutput(shapeOutput(plan, output, { isWhole, maxChars, fields, page, untrusted }))
  }
}

/** Takes the tool server's own inputs out of the arguments. */
function separateExtras(
  plan: ToolPlan,
  args: Json,
): { input: Json; extras: ReadonlyMap<string, unknown> } {
  const input: Json = { ...args }
  const extras = new Map<string, unknown>()
  for (const extra of plan.extras) {
    if (input[extra] !== undefined && input[extra] !== null) extras.set(extra, input[extra])
    delete input[extra]
  }
  return { input, extras }
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

const MIN_CHARS = 1000
const MAX_CHARS = 100_000

function parseMaxChars(value: unknown): number {
  if (value === undefined) return DEFAULT_MAX_CHARS
  const length = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value
  if (
    typeof length !== 'number' ||
    !Number.isInteger(length) ||
    length < MIN_CHARS ||
    length > MAX_CHARS
  ) {
    throw invalid('max_chars', `max_chars is a whole number from ${MIN_CHARS} to ${MAX_CHARS}`)
  }
  return length
}

function parseFields(value: unknown): readonly string[] | null {
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

/** The requested page and its size. A cursor `PxN` becomes both of them in the input. */
function takePage({ operation }: ToolPlan, input: Json): PageRequest | null {
  const { properties } = operation.input
  if (!('page' in properties) || !('per_page' in properties)) return null
  const perPage = properties.per_page as unknown as Json
  const defaultSize = Number(perPage['x-default'] ?? perPage.default ?? 30)
  const maxSize = Number(perPage['x-max'] ?? perPage.maximum ?? 100)
  const cursor =
    typeof input.cursor === 'string' ? /^(\d{1,9})x(\d{1,4})$/.exec(input.cursor) : null
  if (cursor) {
    delete input.cursor
    input.page = Number(cursor[1])
    input.per_page = Number(cursor[2])
  }
  const positiveInteger = (value: unknown, otherwise: number): number =>
    Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : otherwise
  return {
    page: positiveInteger(input.cursor ?? input.page, 1),
    size: Math.min(positiveInteger(input.per_page, defaultSize), maxSize),
    defaultSize,
  }
}
