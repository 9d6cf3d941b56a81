/**
 * Walks every operation of the registry through both interfaces: they answer alike, bad input is
 * refused with the contract's error and never breaks anything, and what agents see of the tools is
 * kept as a snapshot that is read in review.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import type { Operation } from '#core/operation.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { issueToken } from '#features/accounts/tokens/tokens.ts'
import { openApiDocument } from '#http/rest/openapi.ts'
import { routesOf, type Route } from '#http/rest/rest-route.ts'
import { startServer, type RunningServer } from '#http/server.ts'
import { asJsonSchema, type JsonSchema } from '#http/shape.ts'
import { toolPlan } from '#http/tools/tool-plan.ts'
import { compactRecord } from '#http/tools/tool-record.ts'
import { silentLog } from '#lib/log.ts'
import { STATUS } from '#lib/errors.ts'
import { expectSnapshot } from './snapshot.ts'
import { makeWorld, type World } from './world.ts'

type Json = Record<string, unknown>
type ErrorObject = {
  code: keyof typeof STATUS
  message: string
  reason: string | null
  field: string | null
  details: Json
  request_id: string | null
}

let world: World
let server: RunningServer
let secret = ''
let known: Json = {}
/** What was logged as a bug; there must be nothing. */
const bugs: string[] = []

/** The same small forge for each part, because some calls change it. */
async function open(): Promise<void> {
  world = await makeWorld()
  const ada = await world.user('ada')
  await world.user('bob')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/site', { as: ada })
  const sha = await world.commit(
    'acme/site',
    'main',
    { 'README.md': 'hello\n', 'src/a.ts': 'export {}\n' },
    { as: ada },
  )
  await world.commit('acme/site', 'topic', { 'b.txt': 'b\n' }, { as: ada })
  const issue = await world.call(createIssue, ada, {
    repo: 'acme/site',
    title: 'An issue',
    body: 'text',
    labels: ['bug'],
  })
  const comment = await world.call(addComment, ada, {
    repo: 'acme/site',
    number: issue.number,
    body: 'a comment',
  })
  const { pull } = await world.call(createPull, ada, {
    repo: 'acme/site',
    title: 'A pull',
    branch: 'topic',
  })
  ;({ secret } = await world.write((tx) =>
    issueToken(tx, {
      actor_id: ada.id,
      kind: 'user',
      name: 'test',
      source: 'settings',
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }),
  ))
  known = {
    repo: 'acme/site',
    workspace: 'acme',
    username: 'ada',
    branch: 'main',
    ref: 'main',
    path: 'README.md',
    basehead: 'main...topic',
    sha,
    label: 'bug',
    title: 'A title',
    body: 'text',
    name: 'other',
    issue: issue.number,
    pull: pull.number,
    comment: comment.id,
    content: 'heart',
  }
  const log = {
    ...silentLog,
    error: (message: string, fields: Json = {}) =>
      void bugs.push(
        `${message} ${JSON.stringify(fields.operation ?? fields.tool)} ${String(fields.error)}`,
      ),
  }
  server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 1000 })
  server.open({
    ...world.hearth,
    get callers() {
      return world.hearth.callers
    },
    get jobs() {
      return world.hearth.jobs
    },
    log,
  })
}

const operations = (): readonly Operation[] => world.hearth.operations
const schemaOf = (operation: Operation): JsonSchema => asJsonSchema(operation.input)

/** A value that the schema of an input takes, something real where there is such. */
function valueFor(operation: Operation, name: string, schema: JsonSchema): unknown {
  const route = operation.routes[0] ?? ''
  if (name === 'number') return route.includes('/pulls/') ? known.pull : known.issue
  if (name === 'id' && route.includes('/comments/')) return known.comment
  const branch = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  if (Array.isArray(branch.enum)) return branch.enum[0]
  if (name in known) return known[name]
  if (branch.type === 'integer' || branch.type === 'number')
    return Math.max(1, Number(branch.minimum ?? 1))
  if (branch.type === 'boolean') return true
  if (branch.type === 'array') return branch.items ? [valueFor(operation, '', branch.items)] : []
  if (branch.type === 'object') return inputFor(operation, branch)
  return 'x'.repeat(Math.max(3, Number(branch.minLength ?? 3)))
}

function inputFor(operation: Operation, schema: JsonSchema = schemaOf(operation)): Json {
  return Object.fromEntries(
    (schema.required ?? []).map((name) => [
      name,
      valueFor(operation, name, schema.properties?.[name] ?? {}),
    ]),
  )
}

/** The flat input as a REST request; null when the path cannot hold it. */
function restRequest(route: Route, input: Json): { path: string; body: Json | null } | null {
  const rest = { ...input }
  let fits = true
  const take = (name: string): string => {
    const value = rest[name]
    delete rest[name]
    if (typeof value !== 'string' && typeof value !== 'number') fits = false
    let text = ''
    try {
      text = encodeURIComponent(String(value))
    } catch {
      fits = false
    }
    if (text === '' || text === '.' || text === '..') fits = false
    return text
  }
  let path = route.written
  if (route.repoAt !== null) {
    const [owner = '', ...others] = String(rest.repo).split('/')
    if (typeof rest.repo !== 'string' || owner === '' || others.join('') === '') return null
    delete rest.repo
    const encoded = [owner, others.join('/')].map((part) =>
      part.isWellFormed() ? encodeURIComponent(part) : null,
    )
    if (encoded.includes(null)) return null
    path = path.replace('{owner}', encoded[0] ?? '').replace('{name}', encoded[1] ?? '')
  }
  path = path.replace(/\{(\w+)\}/g, (_, name: string) => take(name))
  // Addresses that long never reach a handler: the HTTP parser refuses them.
  if (!fits || path.length > 8000) return null
  if (route.method !== 'GET' && route.method !== 'DELETE') return { path, body: rest }
  const query: string[] = []
  for (const [name, value] of Object.entries(rest)) {
    if (name === 'cursor') continue
    for (const item of Array.isArray(value) ? value : [value]) {
      if (
        (typeof item === 'object' && item !== null) ||
        (typeof item === 'string' && !item.isWellFormed())
      )
        return null
      query.push(`${name}=${encodeURIComponent(String(item))}`)
    }
  }
  const address = query.length === 0 ? path : `${path}?${query.join('&')}`
  return address.length > 8000 ? null : { path: address, body: null }
}

const headers = () => ({ authorization: `Bearer ${secret}` })

async function overRest(
  route: Route,
  input: Json,
): Promise<{ status: number; value: unknown } | null> {
  const request = restRequest(route, input)
  if (!request) return null
  const response = await fetch(`${server.url}/api${request.path}`, {
    method: route.method,
    redirect: 'manual',
    headers: { ...headers(), ...(request.body ? { 'content-type': 'application/json' } : {}) },
    body: request.body ? JSON.stringify(request.body) : undefined,
  })
  const text = await response.text()
  return { status: response.status, value: text === '' ? null : JSON.parse(text) }
}

async function overTool(name: string, input: unknown): Promise<{ isError: boolean; value: Json }> {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    }),
  })
  expect(response.status).toBe(200)
  const { result } = (await response.json()) as {
    result: { isError?: boolean; structuredContent: Json }
  }
  expect(result).toBeDefined()
  return { isError: result.isError ?? false, value: result.structuredContent }
}

/**
 * Whether a body is the error object of the interface, with the status that belongs to its code.
 */
function expectError(label: string, value: unknown, status: number | null): ErrorObject {
  const { error } = (value ?? {}) as { error: ErrorObject }
  expect([label, Object.keys(error ?? {})]).toEqual([
    label,
    ['code', 'message', 'reason', 'field', 'details', 'request_id'],
  ])
  expect([label, error.code]).not.toEqual([label, 'internal'])
  if (status !== null) expect([label, Number(STATUS[error.code])]).toEqual([label, status])
  expect(error.request_id).toBeString()
  return error
}

await open()
afterAll(() => server.stop())

/** The names that REST spells in camelCase, as tools spell them. */
function inTools(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inTools)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/^(resolved|superseded|merged)By$/, '$1_by'),
      inTools(inner),
    ]),
  )
}

describe('reading', () => {
  test('REST and tool give the same record, or the same error', async () => {
    const answered: string[] = []
    for (const operation of operations()) {
      const routes = routesOf(operation)
      if (!operation.tool || routes.length === 0 || !routes.every(({ method }) => method === 'GET'))
        continue
      for (const route of routes) {
        const input = inputFor(operation)
        const rest = await overRest(route, input)
        const tool = await overTool(operation.name, input)
        if (rest === null) continue
        if (rest.status >= 400) {
          const error = expectError(operation.name, rest.value, rest.status)
          expect([operation.name, tool.isError]).toEqual([operation.name, true])
          const other = expectError(operation.name, tool.value, null)
          expect({ ...other, request_id: null }).toEqual({ ...error, request_id: null })
          continue
        }
        expect([operation.name, tool.isError, tool.value]).toEqual([
          operation.name,
          false,
          tool.value,
        ])
        answered.push(operation.name)
        if (operation.redirect) continue
        const { _untrusted, ...value } = tool.value
        const output = asJsonSchema(operation.output)
        const bare = route.isList || output.type === 'array' ? value.items : value
        const { record } = toolPlan(operation)
        const named = new Set<unknown>()
        const compact = route.isList
          ? (rest.value as unknown[]).map((item) => compactRecord(record, inTools(item), named))
          : compactRecord(record, inTools(rest.value), named)
        expect([operation.name, bare]).toEqual([operation.name, compact])
      }
    }
    // The walk would prove nothing if nothing answered.
    expect(answered.length).toBeGreaterThan(20)
    expect(bugs).toEqual([])
  })
})

describe('refusing', () => {
  test('a missing target is 404 on both, for every operation', async () => {
    for (const operation of operations()) {
      const input = inputFor(operation)
      if ('repo' in input) input.repo = 'acme/nowhere'
      else if ('workspace' in input && operation.access.target === 'workspace')
        input.workspace = 'nowhere'
      else continue
      for (const route of routesOf(operation)) {
        const rest = await overRest(route, input)
        if (rest === null) continue
        expect([operation.name, rest.status]).toEqual([operation.name, 404])
        expectError(operation.name, rest.value, 404)
      }
      if (operation.tool)
        expect([
          operation.name,
          expectError(operation.name, (await overTool(operation.name, input)).value, null).code,
        ]).toEqual([operation.name, 'not_found'])
    }
    expect(bugs).toEqual([])
  })

  test('an unknown input is refused by every tool and ignored over REST', async () => {
    const before = world.events().length
    for (const operation of operations()) {
      if (!operation.tool) continue
      const { value, isError } = await overTool(operation.name, {
        ...inputFor(operation),
        no_such_input: 1,
      })
      expect([operation.name, isError]).toEqual([operation.name, true])
      expect(expectError(operation.name, value, null)).toMatchObject({
        code: 'invalid',
        reason: 'unknown_input',
        field: 'no_such_input',
      })
    }
    expect(world.events().length).toBe(before)
  })

  test('bodies that are none are refused by every route that takes one', async () => {
    const cases: [body: BodyInit, type: string, statuses: number[]][] = [
      ['{"a":', 'application/json', [400]],
      ['"text"', 'application/json', [422]],
      ['[]', 'application/json', [422]],
      ['a=1', 'application/x-www-form-urlencoded', [415]],
      [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'application/json', [400]],
      [`{"x":${'['.repeat(3000)}${']'.repeat(3000)}}`, 'application/json', [422]],
    ]
    for (const operation of operations()) {
      for (const route of routesOf(operation)) {
        if (route.method === 'GET') continue
        // A file may be anything.
        if (operation.rawBody) continue
        const path = restRequest(route, inputFor(operation))?.path.replace(/\?.*$/, '')
        if (path === undefined) continue
        for (const [body, type, statuses] of cases) {
          const response = await fetch(`${server.url}/api${path}`, {
            method: route.method,
            headers: { ...headers(), 'content-type': type },
            body,
          })
          const label = `${operation.name} ${String(body).slice(0, 20)}`
          expect([label, statuses.includes(response.status)]).toEqual([label, true])
          expectError(label, await response.json(), response.status)
        }
      }
    }
    expect(bugs).toEqual([])
  })
})

/**
 * Values that no schema of this kind should take, and some that many handlers have not thought of.
 */
const BAD: readonly unknown[] = [
  null,
  '',
  'x'.repeat(70_000),
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "'; DROP TABLE users; --",
  '%00',
  '💥'.repeat(300),
  'cmt_00000000000000000000000000',
  'ZZZ_!',
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  true,
  [],
  [null],
  {},
  { a: { b: { c: 1 } } },
  [[[[[[1]]]]]],
  ['x'.repeat(1000)],
  Array.from({ length: 500 }, () => 'x'),
]

/**
 * Both interfaces validate with the same schema, so each value goes to one of them. Which one
 * alternates, and is the other one in about every second run.
 */
const firstInterface = Math.random() < 0.5 ? 0 : 1

describe('invalid values of every input, on either interface, end in a response or a refusal', () => {
  const seen = new Map<number, number>()
  const callWithBadValues = async (operation: Operation): Promise<void> => {
    const schema = schemaOf(operation)
    const routes = routesOf(operation)
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const words = (property.anyOf ?? [property]).flatMap((branch) =>
        Array.isArray(branch.enum) ? branch.enum : [],
      )
      const longest = Number(property.maxLength ?? 0)
      const values = [
        ...BAD,
        ...(words.length > 0 ? ['no_such_word'] : []),
        ...(longest > 0 && longest < 70_000 ? ['x'.repeat(longest + 1)] : []),
      ]
      for (const [at, value] of values.entries()) {
        const input = { ...inputFor(operation), [name]: value }
        const isForTool = operation.tool && at % 2 === firstInterface
        const label = `${operation.name} ${name} ${JSON.stringify(value)?.slice(0, 40)}`
        for (const route of isForTool ? [] : routes) {
          const answer = await overRest(route, input)
          if (answer === null) continue
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          if (answer.status >= 400) expectError(label, answer.value, answer.status)
        }
        if (isForTool) {
          const { isError, value: answer } = await overTool(operation.name, input)
          if (isError) expectError(label, answer, null)
        }
      }
    }
  }

  // What takes the repository or its name away comes last, so that the others have something to act
  // on. One test a tool set: thousands of calls in one test meet its time limit on a busy machine.
  const takesAway = (operation: Operation): boolean =>
    /^(rename|transfer|archive|delete)_(repo|branch|workspace)$/.test(operation.name)
  const groups = Map.groupBy(
    [...operations()].sort((a, b) => Number(takesAway(a)) - Number(takesAway(b))),
    (operation) => (takesAway(operation) ? 'what takes away' : operation.toolset),
  )
  for (const [name, group] of [...groups].sort(([, [a]], [, [b]]) =>
    a && b ? Number(takesAway(a)) - Number(takesAway(b)) : 0,
  ))
    test(name, async () => {
      for (const operation of group) await callWithBadValues(operation)
      expect(bugs).toEqual([])
    }, 120_000)

  test('enough values were refused, and none was a fault of the forge', () => {
    expect(seen.get(422) ?? 0).toBeGreaterThan(500)
    expect([...seen.keys()].filter((status) => status >= 500)).toEqual([])
  })
})

describe('what is shown', () => {
  const tools = async (address: string): Promise<Json[]> => {
    const response = await fetch(server.url + address, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    return ((await response.json()) as { result: { tools: Json[] } }).result.tools
  }

  test('every tool is as the snapshot says', async () => {
    const all = await tools('/mcp?toolsets=all')
    expectSnapshot('tools.json', `${JSON.stringify(all, null, 1)}\n`)
    for (const tool of all)
      expect([
        tool.name,
        String(tool.description).length <= 300,
        /^[a-z][a-z0-9_]{1,63}$/.test(String(tool.name)),
      ]).toEqual([tool.name, true, true])
  })

  test('the core set is small enough for any context', async () => {
    const core = await tools('/mcp/x/core')
    // About four characters of JSON are one token.
    expect(JSON.stringify(core).length / 4).toBeLessThan(5000)
    const listed = operations().filter((operation) => operation.listed === 'core')
    expect(core.length).toBeLessThanOrEqual(listed.length + 2)
  })

  test('the description has every route, each with its own name', async () => {
    const document = await openApiDocument(world.hearth)
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of operations()) {
      for (const route of routesOf(operation))
        expect([
          route.written,
          document.paths[route.written]?.[route.method.toLowerCase()],
        ]).not.toEqual([route.written, undefined])
    }
    // Names that a generator of clients can use as they are.
    expect(ids.filter((id) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id))).toEqual([])
    expect(ids.filter((id) => /_(without|in)_/.test(id)).sort()).toContain(
      'get_archive_link_without_ref',
    )
    expect(ids).toContain('list_rulesets_in_repo')
    expect(ids).toContain('get_webhook_in_workspace')
    const text = JSON.stringify(document)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(name)
    expect(text).not.toContain('x-rest-name')
  })

  test('names with signs do not become one name in generated clients', async () => {
    const { paths, components } = await openApiDocument(world.hearth)
    const react = paths['/repos/{owner}/{name}/comments/{id}/reactions/{content}']?.put
    expect(react?.parameters?.find((one) => 'name' in one && one.name === 'content')).toMatchObject(
      {
        schema: { 'x-enum-varnames': expect.arrayContaining(['plus_1', 'minus_1', 'rocket']) },
      },
    )
    expect(components.schemas.Comment?.properties?.reactions).toMatchObject({
      type: 'object',
      propertyNames: { enum: expect.arrayContaining(['+1', '-1', 'heart']) },
      additionalProperties: { type: 'integer' },
    })
    const collisions: string[] = []
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { properties } = value as { properties?: object }
      const names = Object.keys(properties ?? {}).map((name) => name.replace(/\W/g, ''))
      if (new Set(names).size < names.length) collisions.push(at)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${at}/${key}`)
    }
    walk({ paths, components }, '')
    expect(collisions).toEqual([])
  })

  test('the rules of a branch have typed parameters, as those of rulesets have', async () => {
    const { components } = await openApiDocument(world.hearth)
    const variants = (name: string) =>
      (components.schemas[name]?.anyOf ?? []).map(({ properties }) => [
        properties?.type,
        properties?.parameters,
      ])
    expect(variants('BranchRule').length).toBeGreaterThan(10)
    expect(variants('BranchRule')).toEqual(variants('Rule'))
  })

  test('every answer of the server has a description', async () => {
    const { paths, components } = await openApiDocument(world.hearth)
    expect(components.responses).toMatchObject({
      not_available: { description: expect.any(String) },
      unavailable: { headers: { 'Retry-After': {} } },
      headers_too_large: { description: expect.any(String) },
    })
    const create = paths['/imports']?.post
    expect(Object.keys(create?.responses ?? {})).toEqual(
      expect.arrayContaining(['202', '401', '422', '431', '501', '503']),
    )
  })
})

/** The parts of an input that may be of any length, each with its place. */
function unboundedParts(schema: JsonSchema, at: string): string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  const isBounded =
    schema.type === 'string'
      ? schema.maxLength !== undefined || hasBoundedPattern(schema.pattern)
      : schema.type === 'array'
        ? schema.maxItems !== undefined
        : !('patternProperties' in schema) || schema.maxProperties !== undefined
  return [
    ...(isBounded ? [] : [at]),
    ...(schema.anyOf ?? []).flatMap((one) => unboundedParts(one, at)),
    ...(schema.items ? unboundedParts(schema.items, `${at}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      unboundedParts(inner, `${at}.${name}`),
    ),
  ]
}

/** Whether a pattern is for the whole text, and repeats nothing without a limit. */
const hasBoundedPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern)

test('every text and list of an input has a limit', () => {
  const found = world.hearth.operations.flatMap(({ name, input }) =>
    unboundedParts(asJsonSchema(input), name),
  )
  expect(found).toEqual([])
  // The walk finds what it is for.
  const open = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }
  expect(unboundedParts(open as JsonSchema, 'x')).toEqual(['x.a', 'x.a[]'])
})
