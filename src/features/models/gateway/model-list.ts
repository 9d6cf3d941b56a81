/** The models that a client may name: the tasks that have a route. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { listRoutes } from '../store-routes.ts'
import { bad } from '../wires/json.ts'
import { tokensOf } from '../money.ts'
import { payerOf } from './gateway-payer.ts'
import { readBody } from './serve.ts'

const CREATED = '2026-01-01T00:00:00Z'

/** One object with the fields of both interfaces. */
export function serveModelList(hearth: Hearth, http: ProtocolRequest): Response {
  const { workspace_id } = payerOf(hearth, http)
  const data = listRoutes(hearth.db, workspace_id).map(({ task, model }) => ({
    id: task,
    object: 'model',
    type: 'model',
    created: Date.parse(CREATED) / 1000,
    created_at: CREATED,
    owned_by: 'hearth',
    display_name: `${task} (${model})`,
  }))
  return Response.json(
    {
      object: 'list',
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    },
    { headers: { 'cache-control': 'no-store' } },
  )
}

/** Tokens of a request to Anthropic's messages, estimated, because asking costs a call. */
export async function countTokens(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  payerOf(hearth, http)
  const { body, bytes } = await readBody(http)
  if (!Array.isArray(body.messages)) throw bad('messages must be an array')
  return Response.json(
    { input_tokens: tokensOf(bytes) },
    { headers: { 'cache-control': 'no-store' } },
  )
}
