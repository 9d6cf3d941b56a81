/** A call of a model by the forge itself, with its answer as a whole. */
import type { Hearth } from '#core/hearth.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { Meter } from './bill.ts'
import { fitMessages } from './context-budget.ts'
import { tokensOf } from './money.ts'
import { ModelFailed, openModelCall, withoutKey } from './open-call.ts'
import type { Payer } from './payer.ts'
import { AnswerBuilder, type Answer, type ChatRequest } from './wires/events.ts'
import { eventsFrom, outgoingFor } from './wires/providers.ts'
import { BadAnswer } from './wires/sse.ts'

export { ModelFailed } from './open-call.ts'
export type { Payer } from './payer.ts'

/**
 * Asks the model of a task. Of messages that are more than it can read, what is left out is said in
 * its place (`context-budget.ts`). Models that rest after failures are waited for. Throws 409 `model_not_configured`, 403 `cost_cap`, 429 while other
 * calls have reserved what is left, and `ModelFailed` when no model of the route answers.
 */
export async function callModel(
  hearth: Hearth,
  payer: Payer,
  given: Omit<ChatRequest, 'max_tokens'> & { readonly max_tokens?: number },
  signal?: AbortSignal,
): Promise<Answer> {
  const messages = fitMessages(hearth, payer, given.messages, given.tools)
  const request = { ...given, messages }
  const call = await openModelCall(hearth, payer, {
    input: tokensOf(Buffer.byteLength(JSON.stringify(request))),
    ...(request.max_tokens === undefined ? {} : { wanted: request.max_tokens }),
    ...(signal ? { signal } : {}),
    isPatient: true,
    build: (target, max_tokens, { temperature: preset }) => {
      const temperature = request.temperature ?? preset
      return outgoingFor(target, {
        ...request,
        max_tokens,
        ...(temperature === null ? {} : { temperature }),
      })
    },
  })
  const { integration, wire, secret } = call.target
  const meter = new Meter()
  const builder = new AnswerBuilder()
  let isWhole = false
  try {
    for await (const event of eventsFrom(call.body, wire)) {
      meter.add(event)
      builder.add(event)
    }
    isWhole = true
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof BadAnswer)) throw error
    if (signal?.aborted) throw error
    throw new ModelFailed(`${integration.name}: ${error.message}`, {
      told: 'the answer of the model broke off',
    })
  } finally {
    await call.end(meter, isWhole)
  }
  return withoutKeyIn(builder.build(), secret)
}

/** A provider that repeats what it was sent must not bring its key into a session. */
const withoutKeyIn = ({ text, thinking, calls, reason }: Answer, secret: string): Answer => ({
  text: withoutKey(text, secret),
  thinking: withoutKey(thinking, secret),
  calls: calls.map(({ id, type, function: { name, arguments: input } }) => ({
    id,
    type,
    function: { name, arguments: withoutKey(input, secret) },
  })),
  reason,
})
