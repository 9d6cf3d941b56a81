/** One request of a client to a model, in the interface that the client speaks. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { readScope } from '#core/read-scope.ts'
import { Refusal } from '#lib/errors.ts'
import { parseJson } from '#lib/parse-json.ts'
import { MINUTE } from '#lib/time.ts'
import { Meter } from '../bill.ts'
import { tokensOf } from '../money.ts'
import { answerTimeoutMs, openModelCall, type OpenCall, type Outgoing } from '../open-call.ts'
import type { Payer } from '../payer.ts'
import { MODEL_TASKS, type ModelTask } from '../schema.ts'
import type { RouteRow } from '../store-routes.ts'
import type { Target } from '../targets.ts'
import type { ClientWire } from '../wires/client.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { bad, listOf, textOf, type Json } from '../wires/json.ts'
import { outgoingFor, pathOf } from '../wires/providers.ts'
import { BadAnswer } from '../wires/sse.ts'
import { streamAnswer, wholeAnswer, type Answering } from './answer.ts'
import { describeError } from './gateway-errors.ts'
import { payerOf } from './gateway-payer.ts'
import { refuseLoop, stopAtCap } from './gateway-stops.ts'
import { isLoop } from '../loop.ts'
import { openedSoon, streamResponse } from './stream-response.ts'

/** Half of what Anthropic takes; a conversation of 200,000 tokens has about 1 MiB. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
const MAX_VALUES = 1_000_000
/** About what an image costs at most; its bytes say nothing about it. */
const IMAGE_TOKENS = 2_000

/** The body of a request. Throws 400, 413 and 422. */
export async function readBody(http: ProtocolRequest): Promise<{ body: Json; bytes: number }> {
  const bytes = await http.bytes(MAX_BODY_BYTES)
  const body = parseJson(bytes, MAX_VALUES)
  if (!isObject(body)) throw bad('the body must be a JSON object')
  return { body, bytes: bytes.length }
}

/**
 * The task of a request: the one that it names as its model, else `code`. Any other name is
 * ignored, so that every program works unconfigured and none picks a dearer model.
 */
export const taskOf = (named: unknown): ModelTask =>
  MODEL_TASKS.find((task) => task === named && task !== 'embed') ?? 'code'

/** The images in a message, and the length of their data. */
function imagesIn(content: unknown, depth = 0): { count: number; chars: number } {
  const sum = { count: 0, chars: 0 }
  for (const part of listOf(content)) {
    const url = isObject(part.image_url) ? part.image_url.url : part.image_url
    const data = textOf(url ?? objectOf(part.source ?? part.inlineData).data)
    if (data !== '') {
      sum.count++
      sum.chars += data.length
    }
    if (depth > 2) continue
    const inner = imagesIn(part.content ?? part.output ?? part.parts, depth + 1)
    sum.count += inner.count
    sum.chars += inner.chars
  }
  return sum
}

function inputTokens(body: Json, bytes: number): number {
  const { count, chars } = imagesIn(body.messages ?? body.input ?? body.contents)
  return tokensOf(Math.max(0, bytes - chars)) + count * IMAGE_TOKENS
}

/** Features that a client of Anthropic asks for. */
function betaHeader({ request }: ProtocolRequest): Record<string, string> {
  const beta = request.headers.get('anthropic-beta')
  return beta !== null && /^[\w.,\s-]{1,1000}$/.test(beta) ? { 'anthropic-beta': beta } : {}
}

const passesTo = ({ passes }: ClientWire, { wire }: Target): boolean => passes === wire

function outgoing(
  http: ProtocolRequest,
  client: ClientWire,
  body: Json,
  { target, max_output, route }: { target: Target; max_output: number; route: RouteRow },
): Outgoing {
  if (passesTo(client, target)) {
    const { temperature } = route
    const forwarded = client.forward(body, { model: target.model.id, max_output, temperature })
    return {
      path: pathOf(target, client.read(body).stream),
      body: JSON.stringify(forwarded),
      headers: target.wire === 'messages' ? betaHeader(http) : {},
    }
  }
  const chat = client.toChat(body)
  if (target.wire === 'messages' && objectOf(chat.response_format).type !== undefined)
    throw bad('the model of this task takes no response_format')
  const temperature = chat.temperature ?? route.temperature ?? undefined
  return outgoingFor(target, {
    ...chat,
    max_tokens: max_output,
    ...(temperature === undefined ? {} : { temperature }),
  })
}

/** The events of a stream. A reader that stands still must not hold money and a place for ever. */
async function* answerTexts(answering: Answering, abort: () => void): AsyncGenerator<string> {
  const { call, client } = answering
  const timer = setTimeout(abort, answerTimeoutMs(call.target) + MINUTE)
  timer.unref()
  try {
    yield* streamAnswer(answering, passesTo(client, call.target))
  } finally {
    clearTimeout(timer)
  }
}

/** Throws `BadAnswer` for a page or a document where a stream was asked for. */
async function requireStream(call: OpenCall): Promise<void> {
  const type = call.headers['content-type'] ?? ''
  if (!/^(text\/html|application\/(json|problem\+json|xml))\b/i.test(type)) return
  await call.body.cancel()
  await call.end(new Meter(), false)
  throw new BadAnswer('the model did not answer with a stream')
}

/** Opens the call. An agent that has reached a cap is stopped. */
async function open(
  hearth: Hearth,
  payer: Payer,
  request: Parameters<typeof openModelCall>[2],
): ReturnType<typeof openModelCall> {
  try {
    return await openModelCall(hearth, payer, request)
  } catch (error) {
    if (error instanceof Refusal) await stopAtCap(hearth, payer, error)
    throw error
  }
}

/** Answers a request. Throws Refusal, `ModelFailed` and `BadAnswer`. */
export async function serveModel(
  hearth: Hearth,
  http: ProtocolRequest,
  client: ClientWire,
  /** The model, where the body does not name it. */
  named: string | null = null,
): Promise<Response> {
  const who = readScope(hearth.db, () => payerOf(hearth, http))
  const { body, bytes } = await readBody(http)
  const { max_tokens, stream } = client.read(body)
  const payer: Payer = { ...who, task: taskOf(named ?? body.model) }
  if (isLoop(body)) throw await refuseLoop(hearth, payer)
  http.keepOpen()
  const abort = new AbortController()
  const signal = AbortSignal.any([http.request.signal, abort.signal])
  const input = inputTokens(body, bytes)
  const created = Math.floor(hearth.clock.now() / 1000)
  const answeringOf = (call: OpenCall): Answering => ({
    call,
    client,
    head: { model: call.target.model.id, request: body, created },
    meter: new Meter(),
    input,
  })
  const opening = open(hearth, payer, {
    input,
    signal,
    ...(max_tokens === undefined ? {} : { wanted: max_tokens }),
    build: (target, max_output, route) =>
      outgoing(http, client, body, { target, max_output, route }),
  })
  if (!stream) return await wholeResponse(answeringOf(await opening))
  const begun = opening.then(async (call) => {
    await requireStream(call)
    return answeringOf(call)
  })
  const answering = await openedSoon(begun)
  const end = (): void => abort.abort()
  const texts =
    answering === null ? answerLate(hearth, client, begun, end) : answerTexts(answering, end)
  return streamResponse(http, texts, end)
}

async function wholeResponse(answering: Answering): Promise<Response> {
  const { call, client } = answering
  const passes = passesTo(client, call.target)
  if (!passes) await requireStream(call)
  const text = await wholeAnswer(answering, passes)
  return new Response(text, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

/** The answer of a call that waits so long that its stream has begun, and so has its status. */
async function* answerLate(
  hearth: Hearth,
  client: ClientWire,
  begun: Promise<Answering>,
  abort: () => void,
): AsyncGenerator<string> {
  let answering: Answering
  try {
    answering = await begun
  } catch (error) {
    yield client.errorEvent(describeError(hearth, error).message)
    return
  }
  yield* answerTexts(answering, abort)
}
