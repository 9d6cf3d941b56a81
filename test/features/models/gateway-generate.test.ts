/** Google's generateContent over the gateway: answers, streams, calls, tokens, and what is refused. */
import { describe, expect, test } from 'bun:test'
import type { Wire } from '#features/integrations/index.ts'
import type { Reply, Script } from '../../models/provider.ts'
import { dataIn, makeGateway } from './gateway-fixture.ts'

const WIRES: readonly Wire[] = ['chat_completions', 'messages', 'generate_content']
const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const tools = [
  {
    functionDeclarations: [
      {
        name: 'look',
        parameters: { type: 'OBJECT', properties: { path: { type: 'STRING' } } },
      },
    ],
  },
]
const reply: Reply = {
  text: 'Look here.',
  calls: [
    { name: 'look', input: { path: 'a' } },
    { name: 'look', input: { path: 'b' } },
  ],
}

type Part = { text?: string; functionCall?: { name: string; args: unknown } }
type Response_ = {
  candidates: { content: { parts: Part[] }; finishReason?: string }[]
  usageMetadata?: { promptTokenCount: number; totalTokenCount: number }
}

/** What all responses of an answer say together. */
const said = (responses: readonly Response_[]) => {
  const parts = responses.flatMap(({ candidates }) => candidates[0]?.content.parts ?? [])
  return {
    text: parts.map(({ text }) => text ?? '').join(''),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall ? [[functionCall.name, functionCall.args]] : [],
    ),
    end: responses.at(-1)?.candidates[0]?.finishReason,
    tokens: responses.at(-1)?.usageMetadata?.totalTokenCount,
  }
}

async function makeGenerate(script?: Script, wire?: Wire) {
  const gateway = await makeGateway(script, wire ? { wire } : {})
  const base = gateway.url.replace('/v1', '/v1beta')
  const secret = await gateway.token()
  const send = (path: string, body: unknown) =>
    fetch(`${base}/models/${path}`, {
      method: 'POST',
      headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const get = (path: string) => fetch(base + path, { headers: { 'x-goog-api-key': secret } })
  return { ...gateway, secret, send, get, base }
}

describe('answers', () => {
  for (const wire of WIRES)
    test(`by a model that speaks ${wire}: text, calls, usage and money`, async () => {
      const { send, calls } = await makeGenerate(() => reply, wire)
      const body = { ...hello, tools, generationConfig: { maxOutputTokens: 50 } }
      const expected = {
        text: 'Look here.',
        calls: [
          ['look', { path: 'a' }],
          ['look', { path: 'b' }],
        ],
        end: 'STOP',
        tokens: 120,
      }
      const whole = (await (await send('gemini-3-pro:generateContent', body)).json()) as Response_
      expect(said([whole])).toEqual(expected)
      const streamed = await send('gemini-3-pro:streamGenerateContent?alt=sse', body)
      expect(streamed.headers.get('content-type')).toContain('text/event-stream')
      const events = dataIn(await streamed.text()) as unknown as Response_[]
      expect(events.length).toBeGreaterThan(1)
      expect(said(events)).toEqual(expected)
      const [first, second] = calls()
      expect(second).toEqual(first as never)
      expect(first).toMatchObject({ task: 'code', estimated: 0, output_tokens: 20 })
    })

  test('the conversation reaches each kind of model whole', async () => {
    const contents = [
      ...hello.contents,
      {
        role: 'model',
        parts: [
          { text: 'I think.', thought: true },
          { text: 'I look.' },
          { functionCall: { name: 'look', args: { path: 'a' } }, thoughtSignature: 'c2ln' },
          { functionCall: { name: 'look', args: { path: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { output: 'A' } } },
          { functionResponse: { name: 'look', response: { output: 'B' } } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0=' } },
        ],
      },
    ]
    const body = {
      contents,
      tools,
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      generationConfig: { temperature: 0.5, stopSequences: ['END'] },
    }
    const chat = await makeGenerate()
    expect((await chat.send('code:generateContent', body)).status).toBe(200)
    expect(chat.provider.asked[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'I look.', tool_calls: [{ id: 'call_0' }, { id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_0', content: 'A' },
        { role: 'tool', tool_call_id: 'call_1', content: 'B' },
        { role: 'user', content: [{ image_url: { url: 'data:image/png;base64,iVBORw0=' } }] },
      ],
      tools: [{ function: { parameters: { properties: { path: { type: 'string' } } } } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
      temperature: 0.5,
      stop: ['END'],
    })
    const own = await makeGenerate(undefined, 'generate_content')
    expect((await own.send('code:generateContent', body)).status).toBe(200)
    expect(own.provider.asked[0]?.body).toMatchObject({ ...body, contents })
  })

  test('a model of Google gets what clients of other interfaces send', async () => {
    const { post, secret, provider } = await makeGenerate(undefined, 'generate_content')
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }
    const body = {
      model: 'code',
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'Empty.' },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: { type: 'null' } },
      },
    }
    expect((await post('/chat/completions', secret, body)).status).toBe(200)
    const [asked] = provider.asked
    expect(asked?.path).toBe('/v1beta/models/small:streamGenerateContent')
    expect(asked?.headers.get('x-goog-api-key')).toBe('sk-test')
    expect(asked?.body).toEqual({
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        {
          role: 'model',
          parts: [
            {
              functionCall: { name: 'look', args: { a: 1 } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'look', response: { output: 'Empty.' } } }],
        },
      ],
      generationConfig: {
        maxOutputTokens: 50,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'null' },
      },
    })
  })

  test('a stream that breaks off ends with an error that its clients find', async () => {
    for (const wire of WIRES) {
      const read = Promise.withResolvers<void>()
      const broken = { ...reply, breaksOff: true, pause: read.promise }
      const { send, calls } = await makeGenerate(() => broken, wire)
      const response = await send('code:streamGenerateContent?alt=sse', hello)
      const decoder = new TextDecoder()
      let text = ''
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true })
        read.resolve()
      }
      expect(text).toContain('Look ')
      expect(text).toMatch(/\n\n\{"error":\{"code":500,/)
      expect(calls()[0]?.estimated).toBe(1)
    }
  })
})

test('models are the tasks with a route, and counting tokens calls no model', async () => {
  const { get, send, provider, url, secret } = await makeGenerate()
  const headers = { 'x-goog-api-key': secret }
  expect(await (await fetch(`${url}/models/code`, { headers })).json()).toMatchObject({
    id: 'code',
    name: 'models/code',
  })
  expect((await fetch(`${url}/models/large`, { headers })).status).toBe(404)
  expect(await (await get('/models')).json()).toMatchObject({ models: [{ name: 'models/code' }] })
  expect(await (await get('/models/code')).json()).toMatchObject({ baseModelId: 'code' })
  expect((await get('/models/large')).status).toBe(404)
  const counted = (await (await send('code:countTokens', hello)).json()) as { totalTokens: number }
  expect(counted.totalTokens).toBeGreaterThan(10)
  expect(provider.asked).toHaveLength(0)
})

describe('what is refused', () => {
  const parts = (...some: object[]) => ({ contents: [{ role: 'user', parts: some }] })
  const refused: Readonly<Record<string, [string, unknown]>> = {
    'a file of the provider': [
      'code:generateContent',
      parts({ fileData: { fileUri: 'https://evil.example' } }),
    ],
    'a file in the result of a tool': [
      'code:generateContent',
      parts({ functionResponse: { name: 'look', response: {}, parts: [{ fileData: {} }] } }),
    ],
    'the same in another spelling': [
      'code:generateContent',
      parts({ file_data: { file_uri: 'https://evil.example' } }),
    ],
    'code that the provider runs': ['code:generateContent', parts({ executableCode: {} })],
    'what the provider remembers': ['code:generateContent', { ...hello, cachedContent: 'c' }],
    'many answers at once': [
      'code:generateContent',
      { ...hello, generationConfig: { candidateCount: 4 } },
    ],
    'a stream that is no server-sent events': ['code:streamGenerateContent', hello],
    'a conversation that is none': ['code:generateContent', { contents: 'Hello' }],
    'a result without a call': [
      'code:generateContent',
      parts({ functionResponse: { name: 'look', response: {} } }),
    ],
    'sound for a model that takes none': [
      'code:generateContent',
      parts({ inlineData: { mimeType: 'audio/wav', data: 'AA==' } }),
    ],
  }
  for (const [what, [path, body]] of Object.entries(refused))
    test(what, async () => {
      const { send, provider } = await makeGenerate()
      const response = await send(path, body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } })
      expect(provider.asked).toHaveLength(0)
    })

  test('tools that the provider runs are not passed on', async () => {
    const { send, provider } = await makeGenerate(undefined, 'generate_content')
    const body = {
      ...hello,
      tools: [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }, ...tools],
      labels: { team: 'x' },
    }
    expect((await send('code:generateContent', body)).status).toBe(200)
    expect(provider.asked[0]?.body.tools).toEqual(tools)
    expect(provider.asked[0]?.body).not.toHaveProperty('labels')
  })

  test('the first version of the interface has the same methods', async () => {
    const { url, secret, send } = await makeGenerate()
    const response = await fetch(`${url}/models/code:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': secret },
      body: JSON.stringify(hello),
    })
    const first = (await response.json()) as Response_
    const beta = (await (await send('code:generateContent', hello)).json()) as Response_
    expect(said([first])).toEqual(said([beta]))
  })

  test('other addresses, methods and tokens, in the form of Google', async () => {
    const { send, get, base, provider } = await makeGenerate()
    for (const path of ['code:embedContent', 'code:batchGenerateContent', 'code/x:generateContent'])
      expect((await send(path, hello)).status).toBe(404)
    expect((await get('/models/code:generateContent')).status).toBe(405)
    expect((await get('/files')).status).toBe(404)
    const stranger = await fetch(`${base}/models/code:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'hthu_none' },
      body: JSON.stringify(hello),
    })
    expect([stranger.status, await stranger.json()]).toMatchObject([
      401,
      { error: { code: 401, status: 'UNAUTHENTICATED' } },
    ])
    expect(provider.asked).toHaveLength(0)
  })

  test('the same calls with the same results four times are a loop', async () => {
    const { send, provider } = await makeGenerate()
    const rounds = (count: number, result: (at: number) => string) => ({
      contents: [
        ...hello.contents,
        ...Array.from({ length: count }, (_, at) => [
          { role: 'model', parts: [{ functionCall: { name: 'edit', args: { a: 1 } } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: 'edit', response: { output: result(at) } } }],
          },
        ]).flat(),
      ],
    })
    expect(
      (
        await send(
          'code:generateContent',
          rounds(5, (at) => `still at ${at}`),
        )
      ).status,
    ).toBe(200)
    const asked = provider.asked.length
    const loop = await send(
      'code:generateContent',
      rounds(4, () => 'failed'),
    )
    expect([loop.status, await loop.json()]).toMatchObject([
      403,
      { error: { status: 'PERMISSION_DENIED' } },
    ])
    expect(provider.asked).toHaveLength(asked)
  })
})
