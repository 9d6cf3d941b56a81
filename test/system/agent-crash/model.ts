/**
 * A model that keeps to a script, by the number of turns that the conversation has: it answers the
 * same after a restart of the forge. `onAsked` is told before, within and after each answer.
 */
export type Moment = 'before' | 'within' | 'after'
export type ToolCall = { readonly name: string; readonly input: unknown }

type Body = { messages: { role: string }[] }

export type ModelOptions = {
  readonly script: readonly ToolCall[]
  /** Waits; false cuts the answer off. */
  readonly onAsked: (step: number, moment: Moment) => Promise<boolean>
}

const encoder = new TextEncoder()

export function startModel({ script, onAsked }: ModelOptions) {
  let answers = 0
  const chunk = (delta: unknown, more: object = {}) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'small',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  })
  const parts = (step: number): unknown[] => {
    const call = script[step]
    const delta = call
      ? {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${step}`,
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.input) },
            },
          ],
        }
      : { role: 'assistant', content: 'Done.' }
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
    return [
      chunk(delta),
      chunk(
        {},
        { choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] },
      ),
      chunk({}, { choices: [], usage }),
    ]
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (request.method === 'GET')
        return Response.json({ object: 'list', data: [{ id: 'small', object: 'model' }] })
      const { messages } = (await request.json()) as Body
      const step = messages.filter(({ role }) => role === 'assistant').length
      if (!(await onAsked(step, 'before'))) return new Response('gone', { status: 500 })
      return new Response(
        new ReadableStream({
          async start(controller) {
            const send = (data: unknown) =>
              controller.enqueue(encoder.encode(`data: ${JSON.stringify(data)}\n\n`))
            const [first, ...rest] = parts(step)
            send(first)
            if (!(await onAsked(step, 'within'))) return controller.close()
            for (const part of rest) send(part)
            controller.enqueue(encoder.encode('data: [DONE]\n\n'))
            controller.close()
            answers++
            void onAsked(step, 'after')
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Answers that were sent to their end. */
    answers: () => answers,
    stop: () => server.stop(true),
  }
}
