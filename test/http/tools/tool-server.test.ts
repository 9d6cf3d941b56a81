import { describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { INSTRUCTIONS } from '#http/tools/protocol-server.ts'
import { errorOf, makeForge, NOTES } from '../forge.ts'

const forge = makeForge({ mcp_origins: ['https://inspector.test'] })
const { memory, request } = forge

type Result = {
  content: { type: string; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: boolean
}
type Reply = {
  id: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}
type Options = { as?: string | null; headers?: Record<string, string> }

/** One request of the generation that begins with initialize; it needs no session. */
const rpc = (method: string, params: unknown = {}, address = '/mcp', options: Options = {}) =>
  request('POST', address, { ...options, json: { jsonrpc: '2.0', id: 1, method, params } })

const call = async (
  name: string,
  args: unknown,
  address = '/mcp?toolsets=all',
  as = 'ada',
): Promise<Result> => {
  const response = await rpc('tools/call', { name, arguments: args }, address, { as })
  expect(response.status).toBe(200)
  const { result } = (await response.json()) as Reply
  const answer = result as unknown as Result
  expect(answer.content.map(({ type }) => type)).toEqual(['text'])
  expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent)
  return answer
}
const ok = async (...args: Parameters<typeof call>) => {
  const result = await call(...args)
  expect(result.isError ?? false).toBe(false)
  return result.structuredContent
}
const refused = async (...args: Parameters<typeof call>) => {
  const result = await call(...args)
  expect(result.isError).toBe(true)
  return (
    result.structuredContent as {
      error: {
        code: string
        reason: string | null
        field: string | null
        message: string
        request_id: string
      }
    }
  ).error
}
const names = async (
  address: string,
  as = 'ada',
  headers: Record<string, string> = {},
): Promise<string[]> => {
  const { result } = (await (await rpc('tools/list', {}, address, { as, headers })).json()) as {
    result: { tools: { name: string }[] }
  }
  return result.tools.map(({ name }) => name)
}

describe('before the protocol', () => {
  test('every request is signed in, the first too', async () => {
    for (const method of ['initialize', 'tools/list', 'server/discover']) {
      const response = await rpc(method, {}, '/mcp', { as: null })
      expect(response.status).toBe(401)
      const challenge = response.headers.get('www-authenticate') ?? ''
      expect(challenge).toStartWith('Bearer ')
      expect(challenge).toContain(
        'resource_metadata="https://hearth.test/.well-known/oauth-protected-resource/mcp"',
      )
      expect(challenge).toContain('scope="')
      expect(challenge).not.toContain('error=')
    }
    const bad = await rpc('tools/list', {}, '/mcp', { as: 'nobody' })
    expect(bad.status).toBe(401)
    expect(bad.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const narrow = await rpc('tools/list', {}, '/mcp/x/core/readonly', { as: null })
    expect(narrow.headers.get('www-authenticate')).toContain(
      '/.well-known/oauth-protected-resource/mcp/x/core/readonly"',
    )
  })

  test('pages of strangers are refused, our own and configured ones are not', async () => {
    const from = (origin: string) => rpc('ping', {}, '/mcp', { headers: { origin } })
    expect((await from('https://evil.test')).status).toBe(403)
    expect((await from('null')).status).toBe(403)
    const own = await from('https://hearth.test')
    expect(own.status).toBe(200)
    expect(own.headers.get('access-control-allow-origin')).toBe('https://hearth.test')
    expect((await from('https://inspector.test')).status).toBe(200)
  })

  test('other methods are 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await request(method, '/mcp', { headers: { accept: 'text/event-stream' } })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toContain('POST')
    }
  })

  test('a body that is no JSON gets an error of the protocol', async () => {
    const broken = await request('POST', '/mcp', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(broken.status).toBe(400)
    expect(((await broken.json()) as Reply).error?.code).toBe(-32700)
    expect(
      (await request('POST', '/mcp', { body: '{}', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(415)
    expect(
      (
        await request('POST', '/mcp', {
          body: `"${'x'.repeat(5 * 1024 * 1024)}"`,
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(413)
  })
})

describe('generations', () => {
  test('initialize agrees on the version that the client names', async () => {
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const response = await rpc('initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      })
      const { result } = (await response.json()) as Reply
      expect(result).toMatchObject({
        protocolVersion,
        serverInfo: { name: 'hearth', version: '0.0.0-test' },
        instructions: INSTRUCTIONS,
      })
      expect(response.headers.get('mcp-session-id')).toBeNull()
    }
    expect(INSTRUCTIONS.length).toBeLessThanOrEqual(1500)
  })

  test('both official clients list, call, read and prompt', async () => {
    const options = { requestInit: { headers: { authorization: 'Bearer ada-secret' } } }
    const address = new URL(`${forge.server.url}/mcp?toolsets=all`)
    const older = new OlderClient({ name: 'older', version: '1' })
    await older.connect(new OlderTransport(address, options))
    const newer = new Client(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    await newer.connect(new StreamableHTTPClientTransport(address, options))
    expect(newer.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    for (const client of [older, newer] as unknown as OlderClient[]) {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('get_note')
      const note = await client.callTool({
        name: 'get_note',
        arguments: { repo: 'acme/site', number: 2 },
      })
      expect(note.structuredContent).toMatchObject({ note: { id: NOTES[1]?.id } })
      const { contents } = await client.readResource({
        uri: 'hearth://acme/site/file/topic%2Fone/src/a.ts',
      })
      expect(contents).toEqual([
        {
          uri: 'hearth://acme/site/file/topic%2Fone/src/a.ts',
          mimeType: 'text/plain',
          text: 'text',
        },
      ])
      expect(client.readResource({ uri: 'hearth://acme/nowhere/file/main/a' })).rejects.toThrow()
      expect(
        (await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name),
      ).toEqual(['file'])
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
        'fix_checks',
        'review_pull',
        'work_on_issue',
      ])
      const prompt = await client.getPrompt({
        name: 'work_on_issue',
        arguments: { repo: 'acme/site', number: '7' },
      })
      expect(JSON.stringify(prompt.messages)).toContain('#7 of acme/site')
      await client.close()
    }
  })

  test('a call that reports how far it is answers with a stream when it is asked to, and with JSON otherwise', async () => {
    const params = { name: 'count_up', arguments: { to: 3 } }
    const plain = await rpc('tools/call', params, '/mcp?toolsets=all')
    expect(plain.headers.get('content-type')).toBe('application/json')
    const asked = await rpc(
      'tools/call',
      { ...params, _meta: { progressToken: 'p1' } },
      '/mcp?toolsets=all',
    )
    expect(asked.headers.get('content-type')).toStartWith('text/event-stream')
    const messages = [...(await asked.text()).matchAll(/^data: (\{.*)$/gm)].map(
      ([, data]) =>
        JSON.parse(data ?? '') as {
          method?: string
          params?: unknown
          result?: { structuredContent: unknown }
        },
    )
    expect(messages.slice(0, -1).map(({ method, params: told }) => [method, told])).toEqual([
      ['notifications/progress', { progressToken: 'p1', progress: 1, total: 3 }],
      ['notifications/progress', { progressToken: 'p1', progress: 2, total: 3 }],
      ['notifications/progress', { progressToken: 'p1', progress: 3, total: 3, message: 'done' }],
    ])
    expect(messages.at(-1)?.result?.structuredContent).toEqual({ counted: 3 })
    // What never tells anything answers with JSON, whatever is asked.
    expect(
      (await rpc('tools/call', { name: 'whoami', _meta: { progressToken: 1 } })).headers.get(
        'content-type',
      ),
    ).toBe('application/json')
    const options = { requestInit: { headers: { authorization: 'Bearer ada-secret' } } }
    const address = new URL(`${forge.server.url}/mcp?toolsets=all`)
    const heard: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress)
    const older = new OlderClient({ name: 'older', version: '1' })
    await older.connect(new OlderTransport(address, options))
    expect((await older.callTool(params, undefined, { onprogress })).structuredContent).toEqual({
      counted: 3,
    })
    expect(heard.splice(0)).toEqual([1, 2, 3])
    const newer = new Client(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    await newer.connect(new StreamableHTTPClientTransport(address, options))
    expect((await newer.callTool(params, { onprogress })).structuredContent).toEqual({ counted: 3 })
    expect(heard).toEqual([1, 2, 3])
    await Promise.all([older.close(), newer.close()])
  })

  test('an unknown tool is an error of the protocol and names near ones', async () => {
    const { error } = (await (
      await rpc('tools/call', { name: 'list_note', arguments: {} })
    ).json()) as Reply
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain('list_notes')
  })
})

describe('what is listed', () => {
  test('by name, for what the caller is and may', async () => {
    const all = await names('/mcp?toolsets=all')
    expect(all).toEqual([...all].sort())
    expect(all).toContain('update_profile')
    expect(all).not.toContain('create_code')
    expect(await names('/mcp?toolsets=all', 'robot')).not.toContain('update_profile')
    const narrowed = await names('/mcp?toolsets=all', 'reader')
    expect(narrowed).not.toContain('create_note')
    expect(narrowed).toContain('get_note')
  })

  test('sets, names and exclusions choose; readonly always wins', async () => {
    expect(await names('/mcp?toolsets=code')).toEqual(['get_file'])
    expect(await names('/mcp', 'ada', { 'x-mcp-toolsets': 'issues,code' })).toEqual([
      'get_file',
      'list_notes',
    ])
    expect(await names('/mcp?tools=get_note,create_note')).toEqual(['create_note', 'get_note'])
    expect(await names('/mcp?tools=get_note,create_note&readonly=1')).toEqual(['get_note'])
    expect(await names('/mcp?toolsets=all&exclude=create_note')).not.toContain('create_note')
    expect(await names('/mcp/x/all/readonly')).not.toContain('create_note')
    expect(await names('/mcp/x/code')).toEqual(['get_file'])
    expect(await names('/mcp')).toEqual(['get_file', 'whoami'])
    expect(await names('/mcp/x/core')).toEqual(['call_tool', 'find_tools', 'get_file', 'whoami'])
    const unknown = await rpc('tools/list', {}, '/mcp?toolsets=nothing')
    expect(unknown.status).toBe(400)
    expect((await errorOf(unknown)).message).toContain('admin, all, code, core, issues')
    for (const empty of [
      '/mcp?toolsets=pulls',
      '/mcp?toolsets=',
      '/mcp?toolsets=,',
      '/mcp/x/pulls',
    ])
      expect([empty, (await rpc('tools/list', {}, empty)).status]).toEqual([empty, 400])
    for (const misspelt of ['/mcp?tools=get_notes', '/mcp?exclude=get_notes'])
      expect([misspelt, (await rpc('tools/list', {}, misspelt)).status]).toEqual([misspelt, 400])
    expect((await rpc('tools/list', {}, '/mcp/somewhere')).status).toBe(404)
  })

  test('a tool says what it does to the world', async () => {
    const { result } = (await (
      await rpc('tools/list', {}, '/mcp?toolsets=all&schemas=output')
    ).json()) as { result: { tools: Record<string, unknown>[] } }
    const tool = (name: string) => result.tools.find((one) => one.name === name)
    expect(tool('get_note')?.annotations).toEqual({
      title: 'Get note',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(tool('delete_note')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
    expect(tool('create_note')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    })
    expect(tool('create_note')?.inputSchema).toMatchObject({
      type: 'object',
      required: ['repo', 'title'],
      additionalProperties: false,
      properties: { idempotency_key: { type: 'string' } },
    })
    expect(tool('list_notes')?.inputSchema).toMatchObject({
      properties: { cursor: {}, fields: {}, max_chars: {} },
    })
    expect(tool('get_note')?.outputSchema).toBeDefined()
  })
})

describe('calls', () => {
  test('records keep their one spelling, digits are numbers, aliases work', async () => {
    expect(await ok('get_note', { repo: 'acme/site', number: '1' })).toMatchObject({
      note: { resolved_by: 3 },
      _untrusted: ['/note/body'],
    })
    expect(await ok('add_note', { repo: 'acme/site', title: 'one' })).toMatchObject({
      input: { title: 'one' },
    })
    expect(await ok('get_me', {})).toMatchObject({ username: 'ada' })
    expect(await ok('get_file_contents', { repo: 'acme/site', path: 'a' })).toMatchObject({
      path: 'a',
    })
    expect(await ok('delete_note', { repo: 'acme/site', label: 'a', confirm: 'a' })).toEqual({})
  })

  test('a misspelt name is refused at any depth and nothing runs', async () => {
    const made = memory.made.length
    expect(
      await refused('create_note', { repo: 'acme/site', title: 'one', dueOn: 'x' }),
    ).toMatchObject({ code: 'invalid', reason: 'unknown_input', field: 'dueOn' })
    expect(
      await refused('create_note', {
        repo: 'acme/site',
        title: 'one',
        entries: [{ tool_name: 'x', toolName: 'x' }],
      }),
    ).toMatchObject({ field: 'entries[0].toolName' })
    expect(
      await refused('create_note', { repo: 'acme/site', title: 'one', constructor: 1 }),
    ).toMatchObject({ reason: 'unknown_input' })
    expect(memory.made.length).toBe(made)
    expect(
      await ok('create_note', {
        repo: 'acme/site',
        title: 'one',
        entries: [{ tool_name: 'x', data: { anyName: 1 } }],
      }),
    ).toBeDefined()
  })

  test('refusals are results with the error object of REST', async () => {
    expect(await refused('create_note', { repo: 'acme/site' })).toMatchObject({
      code: 'invalid',
      field: 'title',
    })
    expect(
      await refused('get_note', { repo: 'acme/hidden', number: 1 }, '/mcp?toolsets=all', 'bob'),
    ).toMatchObject({ code: 'not_found' })
    expect(
      await refused(
        'create_note',
        { repo: 'acme/site', title: 'one' },
        '/mcp?toolsets=all',
        'reader',
      ),
    ).toMatchObject({ code: 'forbidden', reason: 'scope' })
    expect(await refused('create_note', { repo: 'acme/site', title: 'clash' })).toMatchObject({
      code: 'conflict',
      reason: 'already_exists',
    })
    expect(
      await refused('set_hook', { repo: 'acme/site', workspace: 'acme', url: 'x' }),
    ).toMatchObject({ code: 'invalid' })
    const bug = await refused('create_note', { repo: 'acme/site', title: 'bug' })
    expect(bug).toMatchObject({ code: 'internal' })
    expect(bug.message).not.toContain('secret of the inside')
    expect(
      forge.lines.some(
        ({ level, fields }) => level === 'error' && fields.request_id === bug.request_id,
      ),
    ).toBe(true)
  })

  test('a connection that only reads cannot be talked into writing', async () => {
    const made = memory.made.length
    const input = { repo: 'acme/site', title: 'one' }
    expect((await refused('create_note', input, '/mcp?readonly=1')).code).toBe('forbidden')
    expect(
      (await refused('call_tool', { name: 'add_note', arguments: input }, '/mcp/x/all/readonly'))
        .code,
    ).toBe('forbidden')
    expect((await refused('create_note', input, '/mcp?exclude=create_note')).code).toBe('forbidden')
    expect(memory.made.length).toBe(made)
  })

  test('find_tools and call_tool reach what is not listed', async () => {
    const found = (await ok('find_tools', { query: 'rename a note' }, '/mcp/x/core')) as {
      tools: { name: string; input_schema: unknown }[]
    }
    expect(found.tools[0]).toMatchObject({
      name: 'rename_note',
      input_schema: { required: ['repo', 'name'] },
    })
    expect(
      await ok(
        'call_tool',
        { name: 'rename_note', arguments: { repo: 'acme/site', name: 'x' } },
        '/mcp/x/core',
      ),
    ).toEqual({ repo: 'acme/site', name: 'x' })
    expect(await refused('call_tool', { name: 'nothing' })).toMatchObject({
      code: 'invalid',
      field: 'name',
    })
    expect(
      await refused('call_tool', { name: 'call_tool', arguments: { name: 'whoami' } }),
    ).toMatchObject({ field: 'name' })
    const robots = (await ok(
      'find_tools',
      { query: 'update profile' },
      '/mcp/x/core',
      'robot',
    )) as { tools: { name: string }[] }
    expect(robots.tools.map(({ name }) => name)).not.toContain('update_profile')
  })

  test('a key makes a change happen once', async () => {
    const input = { repo: 'acme/site', title: 'once', idempotency_key: 'tool-1' }
    const first = await ok('create_note', input)
    const made = memory.made.length
    expect(await ok('create_note', input)).toEqual(first)
    expect(memory.made.length).toBe(made)
    expect(await refused('create_note', { ...input, title: 'twice' })).toMatchObject({
      reason: 'idempotency_mismatch',
    })
  })
})

describe('long answers', () => {
  type List = { items: Record<string, unknown>[]; next: string | null; truncated?: boolean }
  const list = async (input: Record<string, unknown>, tool = 'list_notes') =>
    (await ok(tool, { repo: 'acme/site', ...input })) as unknown as List

  test('bodies in lists are cut and say so; fields are chosen', async () => {
    const { items } = await list({})
    expect(items[0]).toMatchObject({ body_truncated: true })
    expect(String(items[0]?.body).length).toBe(300)
    expect(items[1]).not.toHaveProperty('body_truncated')
    expect((await list({ fields: ['id'] })).items).toEqual(
      NOTES.slice(0, 3).map(({ id }) => ({ id })),
    )
    expect(String((await list({ fields: ['body'] })).items[0]?.body).length).toBe(500)
    expect(await refused('list_notes', { repo: 'acme/site', fields: ['other'] })).toMatchObject({
      field: 'fields',
    })
  })

  test('cursors reach every item once, whatever the size of pages', async () => {
    for (const [tool, sizes] of [
      ['list_notes', [1, 2, 3, 5]],
      ['list_note_events', [1, 3]],
      ['list_note_entries', [2, 4]],
    ] as const) {
      for (const per_page of sizes) {
        const seen: unknown[] = []
        let next: string | null = null
        do {
          const answer: List = await list(
            next === null
              ? { per_page }
              : tool === 'list_notes'
                ? { cursor: next }
                : { per_page, cursor: next },
            tool,
          )
          seen.push(...answer.items.map(({ seq }) => seq))
          next = answer.next
        } while (next !== null)
        expect([...seen].sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
      }
    }
  })

  test('a cut list goes on where it was cut', async () => {
    const seen: unknown[] = []
    let input: Record<string, unknown> = { per_page: 7, max_chars: 1000 }
    for (let calls = 0; calls < 10; calls++) {
      const answer = await list(input)
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(1000 + 100)
      seen.push(...answer.items.map(({ seq }) => seq))
      if (answer.next === null) break
      input = { cursor: answer.next, max_chars: 1000 }
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('long text ends at a line', async () => {
    const file = await ok('get_file', { repo: 'acme/site', path: 'big.txt' })
    expect(file.truncated).toBe(true)
    expect(JSON.stringify(file).length).toBeLessThanOrEqual(25_000)
    expect(String(file.content)).toEndWith('a line of text\n')
    const more = await ok('get_file', { repo: 'acme/site', path: 'big.txt', max_chars: 100_000 })
    expect(more.truncated).toBeUndefined()
    expect(
      await refused('get_file', { repo: 'acme/site', path: 'a', max_chars: 10 }),
    ).toMatchObject({ field: 'max_chars' })
  })
})
