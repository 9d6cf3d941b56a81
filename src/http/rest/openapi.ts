/**
 * The OpenAPI 3.1 document of the REST interface, made from the operations that are served. Schemas
 * with an `$id` become components. The three names that REST spells differently have their REST
 * spelling.
 */
import { finishInTurns, type Steps } from '#lib/steps.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Operation } from '#core/operation.ts'
import { type RefusalCode, STATUS } from '#lib/errors.ts'
import { asJsonSchema, type JsonSchema } from '../shape.ts'
import { OAUTH_PATHS } from './openapi-oauth.ts'
import { type Route, routesOf } from './rest-route.ts'

type Json = Record<string, unknown>

export type OpenApi = {
  openapi: string
  info: Json
  servers: Json[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Json
    parameters: Json
    headers: Json
    securitySchemes: Json
  }
  security: Json[]
}

export type OpenApiOperation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (OpenApiParameter | { $ref: string })[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Json
  security?: Json[]
  [extension: `x-${string}`]: unknown
}

export type OpenApiParameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: JsonSchema
  explode?: boolean
}

const TAGS: readonly { name: string; description: string; path: RegExp }[] = [
  {
    name: 'Service',
    description: 'What this installation is.',
    path: /^\/(version|metrics|livez|readyz|openapi\.json)?$/,
  },
  {
    name: 'Accounts',
    description: 'Who is calling, their addresses, tokens and invites.',
    path: /^\/(user|users|device|oauth)(\/|$)(?!repository_invitations|workspace_invitations)/,
  },
  {
    name: 'Pull requests',
    description: 'Changes proposed in their own forks: reviews, checks, sessions, the merge queue.',
    path: /\/(pulls|\{name\}\/queue)(\/|$)/,
  },
  {
    name: 'Projects',
    description: 'Repositories of a workspace under one name, and the boards of their issues.',
    path: /\/(projects|issues\/\{number\}\/move)(\/|$)/,
  },
  {
    name: 'Memory and plans',
    description: 'What is remembered about the code, what surrounds it, and plans of work.',
    path: /\/(memory|context|plans)(\/|$)/,
  },
  {
    name: 'Issues',
    description: 'What should change: issues, comments, labels, milestones.',
    path: /\/(issues|attachments|comments|labels|milestones|assignees|reactions)(\/|$)/,
  },
  {
    name: 'Variables and secrets',
    description: 'Values for jobs of workflows.',
    path: /\/actions\/(variables|secrets)(\/|$)/,
  },
  {
    name: 'Runners',
    description: 'Machines that run the jobs of workflows.',
    path: /\/runners(\/|$)/,
  },
  {
    name: 'Workflows',
    description: 'Runs of workflows, their artifacts and caches, environments and deployments.',
    path: /\/(actions|environments|deployments|statuses|status)(\/|$)/,
  },
  { name: 'Webhooks', description: 'Events sent to other services.', path: /\/hooks(\/|$)/ },
  {
    name: 'Rulesets',
    description: 'What may be pushed and merged.',
    path: /\/(rulesets|rules|rule-evaluations)(\/|$)/,
  },
  {
    name: 'Security',
    description: 'Findings, reports and advisories.',
    path: /\/(code-scanning|secret-scanning|security|security-managers|dependencies|dependency-alerts)(\/|$)/,
  },
  { name: 'Packages', description: 'What a workspace publishes.', path: /\/packages(\/|$)/ },
  {
    name: 'Releases',
    description: 'Tagged versions and their files.',
    path: /\/(releases|release-assets)(\/|$)/,
  },
  {
    name: 'Mirrors',
    description: 'Repositories that live in two places.',
    path: /\/(mirror|imports)(\/|$)/,
  },
  { name: 'Teams', description: 'People of a workspace in groups.', path: /\/teams(\/|$)/ },
  {
    name: 'Access',
    description: 'Collaborators and invitations.',
    path: /\/(collaborators|outside_collaborators|invitations|repository_invitations|workspace_invitations|keys)(\/|$)/,
  },
  {
    name: 'Code',
    description: 'Branches, commits, trees and files.',
    path: /\/(branches|tags|commits|compare|tree|contents|blame|code-owners|zipball)(\/|$)/,
  },
  {
    name: 'Agents and models',
    description: 'Programs that work here, the models that they use, and connected services.',
    path: /\/(agents|agent-[a-z]+|integrations|model-[a-z]+)(\/|$)/,
  },
  {
    name: 'Search and notifications',
    description: 'What is found, and what is new for you.',
    path: /^\/(search|notifications)(\/|$)/,
  },
  { name: 'Wiki', description: 'Pages of a repository’s wiki.', path: /\/wiki(\/|$)/ },
  { name: 'Administration', description: 'The site.', path: /^\/admin(\/|$)/ },
  {
    name: 'Repositories',
    description: 'Repositories, their settings and their timeline.',
    path: /^\/(repos|user\/starred)(\/|$)/,
  },
  {
    name: 'Workspaces',
    description: 'What owns repositories, and its members.',
    path: /^\/workspaces(\/|$)/,
  },
  { name: 'Other', description: 'Everything else.', path: /^/ },
]

/** The part of an address. What is below `/admin` is about the site, whatever else it names. */
const tagOf = (path: string): string =>
  path.startsWith('/admin/')
    ? 'Administration'
    : (TAGS.find((tag) => tag.path.test(path))?.name ?? 'Other')

/** Renders schemas and collects those with an id as components. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /** A schema for the document: a reference if it has an id. */
  render(schema: JsonSchema): JsonSchema {
    const id = schema.$id
    if (typeof id !== 'string') return this.#inline(schema)
    const rendered = this.#inline(schema)
    const existing = this.schemas[id]
    // Two different schemas with one id are a fault of the code; the document stays correct.
    if (existing && !Bun.deepEquals(existing, rendered)) return rendered
    this.schemas[id] ??= rendered
    return { $ref: `#/components/schemas/${id}` }
  }

  #inline(schema: JsonSchema): JsonSchema {
    const result: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$id' || (key.startsWith('x-') && key !== 'x-free-form')) continue
      if (key === 'x-free-form') result.additionalProperties ??= true
      else if (key === 'properties')
        result[key] = this.#properties(value as Record<string, JsonSchema>)
      else if (key === 'required')
        result[key] = (value as string[]).map((name) =>
          restSpelling(name, schema.properties?.[name]),
        )
      else if (key === 'patternProperties') {
        const [first] = Object.values(value as Record<string, JsonSchema>)
        result.additionalProperties =
          first && Object.keys(first).length > 0 ? this.render(first) : true
      } else if (key === 'anyOf') Object.assign(result, this.#union(value as JsonSchema[]))
      else if (key === 'items' || key === 'not' || key === 'additionalProperties') {
        result[key] =
          typeof value === 'object' && value !== null ? this.render(value as JsonSchema) : value
      } else if (key === 'allOf' || key === 'oneOf' || key === 'prefixItems')
        result[key] = (value as JsonSchema[]).map((item) => this.render(item))
      else result[key] = value
    }
    return withDistinctNames(result)
  }

  #properties(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
    return Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        restSpelling(name, property),
        this.render(property),
      ]),
    )
  }

  /** A type or null becomes a list of types: generators make better code of it than of a union. */
  #union(branches: readonly JsonSchema[]): JsonSchema {
    const rendered = branches.map((branch) => this.render(branch))
    const others = rendered.filter(({ type }) => type !== 'null')
    const [only] = others
    if (
      others.length === rendered.length - 1 &&
      others.length === 1 &&
      only &&
      typeof only.type === 'string' &&
      only.type !== 'object'
    ) {
      const { enum: values } = only
      return {
        ...only,
        type: [only.type, 'null'],
        ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
      }
    }
    return { anyOf: rendered }
  }
}

/** What a generator of clients makes of a name that is no identifier. */
const identifierOf = (name: string): string => name.replace(/\W/g, '')
const SIGNS: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus' }

/** Generators would make one name of `+1` and `-1`. */
function withDistinctNames(schema: Record<string, unknown>): JsonSchema {
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : []
  if (collide(values))
    schema['x-enum-varnames'] = values.map((value) =>
      String(value).replace(/^[+-]/, (sign) => `${SIGNS[sign]}_`),
    )
  const properties = (schema as JsonSchema).properties ?? {}
  const names = Object.keys(properties)
  const [first, ...others] = Object.values(properties)
  // Properties with one schema are a map as well.
  if (!collide(names) || !others.every((other) => Bun.deepEquals(other, first))) return schema
  const map: Record<string, unknown> = { ...schema }
  delete map.properties
  delete map.required
  return {
    ...map,
    propertyNames: { enum: names },
    minProperties: names.length,
    additionalProperties: first,
  }
}

const collide = (names: readonly unknown[]): boolean =>
  new Set(names.map((name) => identifierOf(String(name)))).size < names.length

const restSpelling = (name: string, property: JsonSchema | undefined): string =>
  typeof property?.['x-rest-name'] === 'string' ? property['x-rest-name'] : name

const MEANINGS: Readonly<Partial<Record<RefusalCode, string>>> = {
  bad_request: 'The request cannot be read: not JSON, or broken percent-encoding.',
  unauthenticated: 'A token is needed, or the one sent is not valid.',
  forbidden: 'Signed in, and not allowed; the reason says why.',
  not_found: 'It does not exist, or the caller cannot see it.',
  conflict: 'It does not fit the present state; the reason says how.',
  too_large: 'The body is over the limit of this route.',
  unsupported_media_type: 'The body is not JSON.',
  invalid: 'An input is not valid; the field names it.',
  rate_limited: 'Too many requests; Retry-After says when to come back.',
  internal: 'A fault of the service; the request id is its handle.',
  not_available: 'This installation has the part switched off.',
  unavailable: 'Starting, restoring or overloaded; Retry-After says when to come back.',
}

/** Answered before the request is read, so without the error object. */
const HEADERS_TOO_LARGE = {
  description: 'The headers of the request are over the limit of the server. It has no body.',
}

const ERROR: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'reason', 'field', 'details', 'request_id'],
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(STATUS),
          description: 'Stable; branch on it or on the status.',
        },
        message: { type: 'string', description: 'For people.' },
        reason: { type: ['string', 'null'], description: 'The finer cause, a stable word.' },
        field: { type: ['string', 'null'], description: 'The input at fault, dotted for depth.' },
        details: { type: 'object', additionalProperties: true },
        request_id: { type: ['string', 'null'] },
      },
    },
  },
}

const errorResponses = (): Json =>
  Object.fromEntries(
    Object.entries(MEANINGS).map(([code, description]) => [
      code,
      {
        description,
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(code === 'rate_limited' || code === 'unavailable'
            ? { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' } }
            : {}),
        },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )

const textContent = (description: string): Json => ({ schema: { type: 'string', description } })

/** The other media types of a list: a download, and events from now on. */
const streamsOf = ({ lines, text, follow }: Operation): Json => ({
  ...(lines
    ? { 'application/x-ndjson': textContent('One record a line, with format=jsonl.') }
    : {}),
  ...(text ? { 'text/plain': textContent('The whole as text.') } : {}),
  ...(follow
    ? {
        'text/event-stream': textContent(
          'The records from now on as server-sent events, with Last-Event-ID to go on.',
        ),
      }
    : {}),
})

function responsesOf(route: Route, components: Components): Json {
  const { operation } = route
  const headers: Json = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
  const success: Json = { description: successOf(operation), headers }
  let status = String(operation.status)
  if (operation.redirect) {
    status = '302'
    headers.Location = { schema: { type: 'string', format: 'uri' }, description: 'Where it is.' }
  } else if (operation.status !== 204) {
    const output = asJsonSchema(operation.output)
    const schema = route.isList
      ? { type: 'array', items: components.render(output.properties?.items?.items ?? {}) }
      : components.render(output)
    success.content = { 'application/json': { schema }, ...streamsOf(operation) }
    if (route.list) {
      headers.Link = { $ref: '#/components/headers/Link' }
      if (operation.list === 'page')
        headers['X-Total-Count'] = { $ref: '#/components/headers/TotalCount' }
    }
    if (route.method === 'GET') headers.ETag = { $ref: '#/components/headers/ETag' }
  }
  const error = (code: RefusalCode): [string, Json] => [
    String(STATUS[code]),
    { $ref: `#/components/responses/${code}` },
  ]
  const reads = route.method === 'GET'
  const codes: RefusalCode[] = [
    'bad_request',
    'unauthenticated',
    'forbidden',
    'not_found',
    ...(reads ? [] : (['conflict', 'too_large', 'unsupported_media_type'] as const)),
    'invalid',
    'rate_limited',
    'internal',
    ...(reads ? [] : (['not_available'] as const)),
    'unavailable',
  ]
  return {
    [status]: success,
    ...(operation.existed
      ? { 200: { ...success, description: 'It was there, and this is it.' } }
      : {}),
    ...(reads && !operation.redirect
      ? { 304: { description: 'Nothing has changed since the ETag.' } }
      : {}),
    ...Object.fromEntries(codes.map(error)),
    431: { $ref: '#/components/responses/headers_too_large' },
  }
}

const successOf = ({ status, redirect }: Operation): string =>
  redirect
    ? 'A redirect.'
    : {
        200: 'It was done, or this is it.',
        201: 'It was made.',
        202: 'It was taken, and the work goes on.',
        204: 'It was done.',
      }[status]

const described = (schema: JsonSchema): { description?: string } =>
  schema.description === undefined ? {} : { description: schema.description }

function parametersOf(
  route: Route,
  components: Components,
): OpenApi['paths'][string][string]['parameters'] {
  const input = asJsonSchema(route.operation.input)
  const required = new Set(input.required ?? [])
  const parameters: (OpenApiParameter | { $ref: string })[] = []
  const byIndex = new Map(route.pathParts.map((part) => [part.index, part]))
  for (const [index, segment] of route.segments.entries()) {
    if (!segment.startsWith('{')) continue
    const part = byIndex.get(index)
    if (part) {
      const schema = components.render(input.properties?.[part.field.name] ?? {})
      parameters.push({
        name: segment.slice(1, -1),
        in: 'path',
        required: true,
        ...described(schema),
        schema,
      })
    } else parameters.push({ $ref: `#/components/parameters/${segment.slice(1, -1)}` })
  }
  if (route.method === 'GET' || route.method === 'DELETE' || route.operation.rawBody) {
    for (const [name, schema] of restInputs(route))
      parameters.push({
        name,
        in: 'query',
        required: required.has(name),
        ...described(schema),
        schema: components.render(schema),
      })
  }
  if (route.operation.lines) {
    const schema: JsonSchema = { type: 'string', enum: ['json', 'jsonl'] }
    parameters.push({
      name: 'format',
      in: 'query',
      required: false,
      description: 'jsonl downloads everything that the filters let through, one record a line.',
      schema,
    })
  }
  if (route.method === 'POST') parameters.push({ $ref: '#/components/parameters/idempotency_key' })
  return parameters
}

/** The inputs that are not in the path, in the spelling of the document. */
const restInputs = (route: Route): [string, JsonSchema][] =>
  Object.entries(asJsonSchema(route.operation.input).properties ?? {}).filter(
    ([name]) => route.fields.get(name)?.name === name,
  )

const FORM_FILE: JsonSchema = {
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' } },
  required: ['file'],
}

function bodyOf(route: Route, components: Components): OpenApiOperation['requestBody'] {
  if (route.method === 'GET' || route.method === 'DELETE') return undefined
  if (route.operation.rawBody)
    return {
      required: true,
      content: {
        'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
        ...(route.operation.multipartBody ? { 'multipart/form-data': { schema: FORM_FILE } } : {}),
      },
    }
  const inputs = restInputs(route)
  if (inputs.length === 0) return undefined
  const required = (asJsonSchema(route.operation.input).required ?? []).filter((name) =>
    inputs.some(([input]) => input === name),
  )
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(
      inputs.map(([name, property]) => [name, components.render(property)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  }
  return { required: required.length > 0, content: { 'application/json': { schema } } }
}

function securityOf({ access }: Operation): Json[] {
  const bearer = { bearer: [] }
  return access.account ? [bearer] : [bearer, {}]
}

/** The scopes of one route: an operation may need others for workspaces than for repositories. */
const scopeOf = ({ access }: Operation, path: string): string | null =>
  path.startsWith('/workspaces/') ? (access.workspaceScope ?? access.scope) : access.scope

/** Who may call an operation, as text. */
function whoOf({ access }: Operation, scope: string | null): string {
  const parts: string[] = []
  if (access.siteAdmin) parts.push('Site administrators only.')
  else if (
    access.target !== 'workspace' &&
    access.target !== 'none' &&
    (access.least !== 'read' || access.writes)
  )
    parts.push(`Needs the role ${access.least} on the repository.`)
  if (access.target === 'workspace' || access.target === 'either')
    parts.push(
      access.workspaceLeast === 'owner'
        ? 'Needs an owner of the workspace.'
        : 'Needs a member of the workspace.',
    )
  if (access.member === 'owner') parts.push("Needs an owner of the repository's workspace.")
  else if (access.member === 'member') parts.push("Needs a member of the repository's workspace.")
  if (access.person && !access.siteAdmin)
    parts.push('People only: tokens of agents and workspaces are refused.')
  if (scope !== null)
    parts.push(`A narrowed token needs the scope ${scope.replaceAll(' ', ' and ')}.`)
  return parts.join(' ')
}

/** Routes that are not operations. */
const SERVICE_ROUTES: readonly { path: string; id: string; summary: string; answer: string }[] = [
  {
    path: '/',
    id: 'get_index',
    summary: 'Addresses to begin with, as URL templates.',
    answer: 'The templates.',
  },
  {
    path: '/openapi.json',
    id: 'get_openapi',
    summary: 'This description.',
    answer: 'The document.',
  },
  {
    path: '/livez',
    id: 'get_liveness',
    summary: 'Whether the process answers.',
    answer: 'It does.',
  },
  {
    path: '/readyz',
    id: 'get_readiness',
    summary: 'Whether requests can be served.',
    answer: 'They can; 503 when not.',
  },
]

const serviceEntry = (route: (typeof SERVICE_ROUTES)[number]): OpenApiOperation => ({
  operationId: route.id,
  summary: route.summary,
  tags: ['Service'],
  security: [],
  responses: {
    200: {
      description: route.answer,
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
    429: { $ref: '#/components/responses/rate_limited' },
  },
})

const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(({ 1: name = '' }) => name)

/**
 * The id of one route. The first route of an operation has its name; another one says whether it is
 * of a workspace or a repository, or which parameter it lacks.
 */
function operationIdOf({ operation, path }: Route): string {
  const [first, ...others] = routesOf(operation)
  if (!first || first.path === path) return operation.name
  const isIn = (area: string): boolean => path.startsWith(area) && !first.path.startsWith(area)
  if (isIn('/workspaces/')) return `${operation.name}_in_workspace`
  if (isIn('/repos/')) return `${operation.name}_in_repo`
  const present = new Set(parametersIn(path))
  const missing = parametersIn(first.path).filter((name) => !present.has(name))
  return missing.length > 0
    ? `${operation.name}_without_${missing.join('_or_')}`
    : `${operation.name}_${others.findIndex((other) => other.path === path) + 2}`
}

function entryOf(route: Route, operationId: string, components: Components): OpenApiOperation {
  const { operation } = route
  const scope = scopeOf(operation, route.path)
  const who = whoOf(operation, scope)
  const requestBody = bodyOf(route, components)
  return {
    operationId,
    summary: operation.summary,
    ...(who === '' ? {} : { description: who }),
    tags: [tagOf(route.path)],
    parameters: parametersOf(route, components),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(route, components),
    security: securityOf(operation),
    ...(operation.preview ? { 'x-preview': true } : {}),
    ...(scope === null ? {} : { 'x-scope': scope }),
    ...(operation.tool ? { 'x-tool': operation.name } : {}),
  }
}

/** Routes that are described in one turn of the event loop: some ten milliseconds of the first time. */
const ROUTES_PER_TURN = 25

/** Yields now and then, because all routes together take a quarter of a second. */
function* describePaths(hearth: Hearth, components: Components): Steps<OpenApi['paths']> {
  const paths: OpenApi['paths'] = {}
  for (const route of SERVICE_ROUTES) paths[route.path] = { get: serviceEntry(route) }
  if (hearth.operationsByName.has('exchange_token')) Object.assign(paths, OAUTH_PATHS)
  for (const [at, route] of hearth.operations.flatMap(routesOf).entries()) {
    const methods = (paths[route.written] ??= {})
    methods[route.method.toLowerCase()] = entryOf(route, operationIdOf(route), components)
    if (at % ROUTES_PER_TURN === 0) yield
  }
  return paths
}

const PARAMETERS: Json = {
  owner: {
    name: 'owner',
    in: 'path',
    required: true,
    description: 'The slug of the workspace that owns the repository.',
    schema: { type: 'string' },
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of the repository.',
    schema: { type: 'string' },
  },
  idempotency_key: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The first answer to this key is kept for a day and given again.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
  },
}

const HEADERS: Json = {
  RequestId: { description: 'The id of this request in the log.', schema: { type: 'string' } },
  Link: {
    description: 'The pages next, prev, first and last (RFC 8288).',
    schema: { type: 'string' },
  },
  TotalCount: {
    description: 'How many items there are in all, where that is known.',
    schema: { type: 'integer' },
  },
  ETag: { description: 'A weak validator for If-None-Match.', schema: { type: 'string' } },
}

const DESCRIPTION =
  'Every route is served with and without the prefix /v1; the form written here is the one that answers use. Names in bodies are snake_case, and the camelCase spelling is taken as well. Times are RFC 3339 in UTC with milliseconds. Ids are TypeIDs. Lists are arrays; their pages are in the Link header.'

/**
 * The description of the interface, made in many turns of the event loop, so that other requests do
 * not wait for it.
 */
export async function openApiDocument(hearth: Hearth): Promise<OpenApi> {
  return await finishInTurns(describe(hearth))
}

function* describe(hearth: Hearth): Steps<OpenApi> {
  const { settings } = hearth
  const components = new Components()
  const paths = yield* describePaths(hearth, components)
  const tags = new Set(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((entry) => entry.tags),
    ),
  )
  const schemas = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version: '1',
      summary: 'A git forge for people and software agents.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-release': settings.version,
    },
    servers: [{ url: settings.base_url }],
    tags: TAGS.filter(({ name }) => tags.has(name)).map(({ name, description }) => ({
      name,
      description,
    })),
    paths,
    components: {
      schemas: { Error: ERROR, ...Object.fromEntries(schemas) },
      responses: { ...errorResponses(), headers_too_large: HEADERS_TOO_LARGE },
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token made in the settings of an account, or given to an application.',
        },
      },
    },
    security: [{ bearer: [] }],
  }
}
