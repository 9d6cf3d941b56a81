/**
 * The tool server over a registry that has what the official suite asks for by name, made of
 * operations, resources and prompts like any others. The suite sends no tokens, so the listener in
 * front of the door adds one.
 */
import { afterAll } from 'bun:test'
import { signedIn } from '#core/access.ts'
import { openDatabase } from '#core/db.ts'
import { createHearth } from '#core/hearth.ts'
import { migrate, migrations } from '#core/migrate.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Git } from '#git'
import { createListenerHandler } from '#http/exchange.ts'
import { ToolServer } from '#http/tools/tool-server.ts'
import { PROMPTS, type PromptKind } from '#http/tools/tool-prompts.ts'
import type { ResourceKind } from '#http/tools/tool-resources.ts'
import { Refusal } from '#lib/errors.ts'
import { silentLog } from '#lib/log.ts'
import { START, testSettings } from '../../settings.ts'
import { ada } from '../forge.ts'

/** A picture of one red dot. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

const Text = Type.Object({ text: Type.String() })

const OPERATIONS = [
  operation({
    name: 'test_simple_text',
    summary: 'Answers with text.',
    route: 'GET /test-simple-text',
    access: signedIn(),
    input: Type.Object({}),
    output: Text,
    handler: () => ({ text: 'This is a simple text response for testing.' }),
  }),
  operation({
    name: 'test_error_handling',
    summary: 'Answers with an error.',
    route: 'GET /test-error-handling',
    access: signedIn(),
    input: Type.Object({}),
    output: Text,
    handler: () => {
      throw new Refusal('conflict', 'This tool intentionally returns an error for testing')
    },
  }),
  operation({
    name: 'test_tool_with_progress',
    summary: 'Says how far it is.',
    route: 'GET /test-tool-with-progress',
    access: signedIn(),
    input: Type.Object({}),
    output: Text,
    progress: true,
    handler: async ({ progress }) => {
      for (const done of [0, 50, 100]) {
        progress(done, 100, `${done} of 100`)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return { text: 'done' }
    },
  }),
  operation({
    name: 'test_logging_tool',
    summary: 'Works in silence.',
    route: 'GET /test-logging-tool',
    access: signedIn(),
    input: Type.Object({}),
    output: Text,
    handler: () => ({ text: 'nothing to say' }),
  }),
  operation({
    name: 'test_reconnection',
    summary: 'Answers at once.',
    route: 'GET /test-reconnection',
    access: signedIn(),
    input: Type.Object({}),
    output: Text,
    handler: () => ({ text: 'there was nothing to wait for' }),
  }),
  operation({
    name: 'json_schema_2020_12_tool',
    summary: 'Takes a schema with everything.',
    route: 'GET /json-schema',
    access: signedIn(),
    output: Text,
    input: Type.Object(
      {
        name: Type.Optional(Type.String()),
        address: Type.Optional(Type.Unsafe<unknown>({ $ref: '#/$defs/address' })),
        contactMethod: Type.Optional(
          Type.Unsafe<string>({ type: 'string', enum: ['phone', 'email'] }),
        ),
        phone: Type.Optional(Type.String()),
        email: Type.Optional(Type.String()),
      },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    ),
    handler: () => ({ text: 'taken' }),
  }),
  operation({
    name: 'read_text',
    summary: 'Reads a text.',
    route: 'GET /read-text',
    access: signedIn(),
    input: Type.Object({ id: Type.Optional(Type.String()) }),
    output: Text,
    handler: (_, { id }) => ({
      text:
        id === undefined
          ? 'This is the content of the static text resource.'
          : JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
  }),
]

const text =
  (uri: string, mimeType = 'text/plain') =>
  (_: string, value: Record<string, unknown>) => ({ uri, mimeType, text: String(value.text) })

const RESOURCES: readonly ResourceKind[] = [
  {
    tool: 'read_text',
    template: { name: 'static-text', uriTemplate: 'test://static-text' },
    inputOf: (uri) => (uri === 'test://static-text' ? {} : null),
    contentsOf: text('test://static-text'),
  },
  {
    tool: 'read_text',
    template: { name: 'static-binary', uriTemplate: 'test://static-binary' },
    inputOf: (uri) => (uri === 'test://static-binary' ? {} : null),
    contentsOf: (uri) => ({ uri, mimeType: 'image/png', blob: PNG }),
  },
  {
    tool: 'read_text',
    template: { name: 'template', uriTemplate: 'test://template/{id}/data' },
    inputOf: (uri) => {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
      return id === undefined ? null : { id }
    },
    contentsOf: (uri, value) => ({
      uri,
      mimeType: 'application/json',
      text: String(value.text),
    }),
  },
]

const said = (
  ...contents: ReturnType<PromptKind['messagesOf']>[number]['content'][]
): ReturnType<PromptKind['messagesOf']> =>
  contents.map((content) => ({ role: 'user' as const, content }))

const prompt = (
  name: string,
  args: readonly string[],
  messagesOf: PromptKind['messagesOf'],
): PromptKind => ({
  name,
  description: `For the suite: ${name}.`,
  arguments: args.map((arg) => ({ name: arg, description: `The ${arg}.`, form: /^/ })),
  messagesOf,
})

const SUITE_PROMPTS: readonly PromptKind[] = [
  prompt('test_simple_prompt', [], () =>
    said({ type: 'text', text: 'This is a simple prompt for testing.' }),
  ),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) =>
    said({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) =>
    said(
      {
        type: 'resource',
        resource: {
          uri: resourceUri,
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        },
      },
      { type: 'text', text: 'Please process the embedded resource above.' },
    ),
  ),
  prompt('test_prompt_with_image', [], () =>
    said(
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'text', text: 'Please analyze the image above.' },
    ),
  ),
]

/** Serves it, and gives the address. */
export function serveFixture(): string {
  // The address is part of the settings, so the port is taken first.
  let handler: ((request: Request) => Response | Promise<Response>) | null = null
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      if (!handler) return new Response(null, { status: 503 })
      const headers = new Headers(request.headers)
      headers.set('authorization', 'Bearer ada-secret')
      return handler(
        new Request(`${new URL(request.url).origin}/mcp?toolsets=all`, {
          method: request.method,
          headers,
          body: request.body,
          signal: request.signal,
        }),
      )
    },
  })
  const site_url = `http://localhost:${server.port}`
  const database = openDatabase({ path: ':memory:' })
  migrate(database, '2026-01-01T00:00:00.000Z', migrations.slice(0, 1))
  const hearth = createHearth({
    settings: testSettings('/nowhere', {
      site_url,
      base_url: `${site_url}/api`,
      mcp_url: `${site_url}/mcp`,
    }),
    log: silentLog,
    clock: { now: () => START },
    database,
    git: { close: async () => {} } as unknown as Git,
    features: [{ name: 'suite', operations: OPERATIONS }],
    facts: {
      repo: () => null,
      moved: () => null,
      workspace: () => null,
      departed: () => null,
      isSecurityManager: () => false,
      isInvitedToAdvisory: () => false,
      package: () => null,
    },
    callers: () => ({
      byToken: () => ada,
      bySignIn: () => null,
      byCredential: () => null,
      bySshKey: () => null,
    }),
  })
  const tools = new ToolServer(hearth, {
    prompts: [...PROMPTS, ...SUITE_PROMPTS],
    resources: RESOURCES,
  })
  const route = tools.routes.find(({ path }) => path === '/mcp')
  if (!route?.renderRefusal) throw new Error('the tool server has no route')
  handler = createListenerHandler(hearth, route.handler, route.renderRefusal)
  afterAll(async () => {
    await tools.close()
    await server.stop(true)
    await hearth.close()
  })
  return `${site_url}/mcp`
}
