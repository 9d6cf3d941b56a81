/** Google's addresses, which have the model and the method in one segment of the path. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { isObject } from '#lib/json-value.ts'
import { tokensOf } from '../money.ts'
import { generateClient } from '../wires/generate-client.ts'
import { bad } from '../wires/json.ts'
import { payerOf } from './gateway-payer.ts'
import { GENERATE_METHODS, serveModelList, serveOneModel } from './model-list.ts'
import { readBody, serveModel } from './serve.ts'

/** Estimated, because asking costs a call. */
async function serveTokens(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  payerOf(hearth, http)
  const { body, bytes } = await readBody(http)
  const asked = isObject(body.generateContentRequest) ? body.generateContentRequest : body
  if (!Array.isArray(asked.contents)) throw bad('contents must be an array')
  return Response.json(
    { totalTokens: tokensOf(bytes) },
    { headers: { 'cache-control': 'no-store' } },
  )
}

const PATH = /^\/models(?:\/([\w.%-]{1,200})(?::(\w{1,60}))?)?$/

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Answers a request for a model or the list of them, below a base such as `/model/v1beta`. */
export function serveGenerate(
  hearth: Hearth,
  http: ProtocolRequest,
  base: string,
): Response | Promise<Response> {
  const [found, model, method] = PATH.exec(http.path.slice(base.length)) ?? []
  const known = method === undefined || GENERATE_METHODS.some((one) => one === method)
  if (found === undefined || !known)
    throw new Refusal(
      'not_found',
      `${http.path.slice(0, 200)} is not an address of the model gateway`,
    )
  const needed = method === undefined ? 'GET' : 'POST'
  if (http.request.method !== needed)
    throw new Refusal('method_not_allowed', `this address takes ${needed}`, {
      headers: { allow: needed },
    })
  if (model === undefined) return serveModelList(hearth, http)
  const name = decoded(model)
  if (method === undefined) return serveOneModel(hearth, http, name)
  if (method === 'countTokens') return serveTokens(hearth, http)
  const isStream = method === 'streamGenerateContent'
  if (isStream && !/(?:^|&)alt=sse(?:&|$)/.test(http.query))
    throw bad('a stream is sent as server-sent events: add alt=sse to the address')
  return serveModel(hearth, http, generateClient(isStream), name)
}
