/** The models that a client may name: the tasks that have a route. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { listRoutes } from '../store-routes.ts'
import { bad } from '../wires/json.ts'
import { tokensOf } from '../money.ts'
import { payerOf } from './gateway-payer.ts'
import { readBody } from './serve.ts'

const CREATED = '2026-01-01T00:00:00Z'

/** The methods of Google's interface that the gateway has. */
export const GENERATE_METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'] as const

/** One object with the fields of all interfaces. */
const modelRecord = ({ task, model }: { task: string; model: string }) => ({
  id: task,
  object: 'model',
  type: 'model',
  created: Date.parse(CREATED) / 1000,
  created_at: CREATED,
  owned_by: 'hearth',
  display_name: `${task} (${model})`,
  name: `models/${task}`,
  baseModelId: task,
  version: '1',
  displayName: `${task} (${model})`,
  supportedGenerationMethods: GENERATE_METHODS,
})

const json = (value: unknown): Response =>
  Response.json(value, { headers: { 'cache-control': 'no-store' } })

/** The list, in the form of every interface. */
export function serveModelList(hearth: Hearth, http: ProtocolRequest): Response {
  const { workspace_id } = payerOf(hearth, http)
  const data = listRoutes(hearth.db, workspace_id).map(modelRecord)
  return json({
    object: 'list',
    data,
    models: data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  })
}

/** Throws 404 for a task without a route. */
export function serveOneModel(hearth: Hearth, http: ProtocolRequest, name: string): Response {
  const { workspace_id } = payerOf(hearth, http)
  const route = listRoutes(hearth.db, workspace_id).find(({ task }) => task === name)
  if (!route) throw new Refusal('not_found', `there is no model ${name.slice(0, 100)}`)
  return json(modelRecord(route))
}

/** Tokens of a request to Anthropic's messages, estimated, because asking costs a call. */
export async function countTokens(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  payerOf(hearth, http)
  const { body, bytes } = await readBody(http)
  if (!Array.isArray(body.messages)) throw bad('messages must be an array')
  return json({ input_tokens: tokensOf(bytes) })
}
