/**
 * A scripted model provider, which speaks the interfaces of OpenAI (chat completions, responses,
 * embeddings, models), of Anthropic (messages) and of Google (generateContent). It answers as its
 * script says.
 */
export type ToolUse = { readonly name: string; readonly input: unknown }
export type Reply = {
  readonly text?: string
  readonly calls?: readonly ToolUse[]
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cached_tokens?: number
  /** Answers with this status and no model's answer. */
  readonly status?: number
  /** What the error says. */
  readonly message?: string
  readonly headers?: Record<string, string>
  /** Ends the connection in the middle of a stream. */
  readonly breaksOff?: boolean
  /** Leaves the usage out, as some servers do. */
  readonly withoutUsage?: boolean
  /** The vectors of embeddings, instead of one for each input. */
  readonly vectors?: readonly unknown[]
  /** Waits for this before it answers. */
  readonly after?: Promise<unknown>
  /** Waits for this in the middle of a stream. */
  readonly pause?: Promise<unknown>
}
export type Asked = {
  readonly path: string
  readonly headers: Headers
  readonly body: Record<string, unknown>
}
export type Script = (asked: Asked, number: number) => Reply

const encoder = new TextEncoder()
const event = (data: unknown, name?: string): Uint8Array =>
  encoder.encode(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)

function stream(events: readonly Uint8Array[], { breaksOff, pause }: Reply): Response {
  const parts = events[Symbol.iterator]()
  let sent = 0
  return new Response(
    new ReadableStream({
      async pull(controller) {
        if (sent++ === Math.ceil(events.length / 2)) {
          if (pause) await pause
          if (breaksOff) return controller.error(new Error('broken off'))
        }
        const { done, value } = parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )
}

const usageOf = ({ input_tokens = 100, output_tokens = 20, cached_tokens = 0 }: Reply) => ({
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens: input_tokens + output_tokens,
  prompt_tokens_details: { cached_tokens },
})

function chatMessage({ text, calls = [] }: Reply) {
  return {
    role: 'assistant',
    content: text ?? (calls.length > 0 ? null : 'Done.'),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ name, input }) => ({
            id: `call_${crypto.randomUUID().slice(0, 8)}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
  }
}

function chat(body: Record<string, unknown>, reply: Reply): Response {
  const message = chatMessage(reply)
  const base = { id: 'chatcmpl-1', created: 1, model: body.model }
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop'
  if (body.stream !== true)
    return Response.json({
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason, logprobs: null }],
      ...(reply.withoutUsage ? {} : { usage: usageOf(reply) }),
    })
  const chunk = (delta: unknown, finish: string | null = null) =>
    event({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  const words = (message.content ?? '').split(/(?<= )/)
  const asksUsage = (body.stream_options as { include_usage?: boolean })?.include_usage === true
  return stream(
    [
      chunk({ role: 'assistant', content: '' }),
      ...words.filter((word) => word !== '').map((word) => chunk({ content: word })),
      ...(message.tool_calls ?? []).flatMap((call, index) => {
        const { name, arguments: text } = call.function
        const half = Math.ceil(text.length / 2)
        return [
          chunk({
            tool_calls: [
              { index, id: call.id, type: 'function', function: { name, arguments: '' } },
            ],
          }),
          chunk({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] }),
          chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
        ]
      }),
      chunk({}, finish_reason),
      ...(asksUsage && !reply.withoutUsage
        ? [event({ ...base, object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) })]
        : []),
      encoder.encode('data: [DONE]\n\n'),
    ],
    reply,
  )
}

function messages(body: Record<string, unknown>, reply: Reply): Response {
  const { text, calls = [], input_tokens = 100, output_tokens = 20, cached_tokens = 0 } = reply
  const content = [
    ...(text !== undefined || calls.length === 0 ? [{ type: 'text', text: text ?? 'Done.' }] : []),
    ...calls.map(({ name, input }) => ({
      type: 'tool_use',
      id: `toolu_${crypto.randomUUID().slice(0, 8)}`,
      name,
      input,
    })),
  ]
  const usage = { input_tokens, output_tokens, cache_read_input_tokens: cached_tokens }
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const base = {
    id: `msg_${crypto.randomUUID().slice(0, 8)}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
  }
  if (body.stream !== true) return Response.json({ ...base, content, stop_reason, usage })
  return stream(
    [
      event(
        {
          type: 'message_start',
          message: {
            ...base,
            content: [],
            stop_reason: null,
            usage: { ...usage, output_tokens: 1 },
          },
        },
        'message_start',
      ),
      ...content.flatMap((block, index) => [
        event(
          {
            type: 'content_block_start',
            index,
            content_block: 'text' in block ? { type: 'text', text: '' } : { ...block, input: {} },
          },
          'content_block_start',
        ),
        event(
          {
            type: 'content_block_delta',
            index,
            delta:
              'text' in block
                ? { type: 'text_delta', text: block.text }
                : {
                    type: 'input_json_delta',
                    partial_json: JSON.stringify((block as { input: unknown }).input),
                  },
          },
          'content_block_delta',
        ),
        event({ type: 'content_block_stop', index }, 'content_block_stop'),
      ]),
      event(
        {
          type: 'message_delta',
          delta: { stop_reason, stop_sequence: null },
          usage: { output_tokens },
        },
        'message_delta',
      ),
      event({ type: 'message_stop' }, 'message_stop'),
    ],
    reply,
  )
}

function responses(body: Record<string, unknown>, reply: Reply): Response {
  const { text = 'Done.', input_tokens = 100, output_tokens = 20, cached_tokens = 0 } = reply
  const item = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  const whole = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: body.model,
    output: [item],
    usage: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      input_tokens_details: { cached_tokens },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }
  if (body.stream !== true) return Response.json(whole)
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    {
      type: 'response.content_part.added',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
    },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ]
  return stream(
    events.map((one, sequence_number) => event({ ...one, sequence_number }, one.type)),
    reply,
  )
}

/** Each response of a stream has the usage so far; thoughts are counted apart. */
function generate(isStream: boolean, reply: Reply): Response {
  const { text, calls = [], input_tokens = 100, output_tokens = 20, cached_tokens = 0 } = reply
  const thoughts = Math.floor(output_tokens / 4)
  const usageMetadata = {
    promptTokenCount: input_tokens,
    candidatesTokenCount: output_tokens - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: input_tokens + output_tokens,
    cachedContentTokenCount: cached_tokens,
  }
  const said = text ?? (calls.length === 0 ? 'Done.' : '')
  const parts = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))
  const response = (content: readonly unknown[], more: object = {}, usage: object = {}) => ({
    candidates: [{ content: { role: 'model', parts: content }, index: 0, ...more }],
    usageMetadata: reply.withoutUsage ? undefined : { ...usageMetadata, ...usage },
    modelVersion: 'small',
  })
  const last = { finishReason: 'STOP' }
  if (!isStream) return Response.json(response([...(said ? [{ text: said }] : []), ...parts], last))
  const words = said.split(/(?<= )/).filter((word) => word !== '')
  const early = { candidatesTokenCount: undefined, thoughtsTokenCount: undefined }
  return stream(
    [
      ...words.map((word) => event(response([{ text: word }], {}, early))),
      ...parts.map((part) => event(response([part], {}, early))),
      event(response([{ text: '' }], last)),
    ],
    reply,
  )
}

const embeddings = (body: Record<string, unknown>, reply: Reply): Response => {
  const inputs = Array.isArray(body.input) ? body.input : [body.input]
  return Response.json({
    object: 'list',
    model: body.model,
    data: (reply.vectors ?? inputs.map(() => [0.1, 0.2])).map((embedding, index) => ({
      object: 'embedding',
      index,
      embedding,
    })),
    usage: { prompt_tokens: reply.input_tokens ?? 10, total_tokens: reply.input_tokens ?? 10 },
  })
}

/** `key` is the secret that it demands; none when it is empty. */
export function startModelServer(script: Script = () => ({}), key = 'sk-test') {
  const asked: Asked[] = []
  let calls = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const { headers } = request
      const given =
        headers.get('x-api-key') ??
        headers.get('x-goog-api-key') ??
        headers.get('authorization')?.slice(7) ??
        ''
      if (given !== key) return Response.json({ error: { message: 'bad key' } }, { status: 401 })
      if (request.method === 'GET' && pathname.endsWith('/models'))
        return Response.json({ object: 'list', data: [{ id: 'small', object: 'model' }] })
      const one = { path: pathname, headers, body: (await request.json()) as Asked['body'] }
      asked.push(one)
      const reply = script(one, calls++)
      if (reply.after) await reply.after
      if (reply.status !== undefined)
        return Response.json(
          { error: { type: 'error', message: reply.message ?? `status ${reply.status}` } },
          { status: reply.status, ...(reply.headers ? { headers: reply.headers } : {}) },
        )
      if (pathname.endsWith('/chat/completions')) return chat(one.body, reply)
      if (pathname.endsWith('/responses')) return responses(one.body, reply)
      if (pathname.endsWith('/messages')) return messages(one.body, reply)
      if (/:(stream)?generateContent$/i.test(pathname))
        return generate(pathname.endsWith(':streamGenerateContent'), reply)
      if (pathname.endsWith('/embeddings')) return embeddings(one.body, reply)
      return new Response('not found', { status: 404 })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    asked,
    stop: () => server.stop(true),
  }
}
