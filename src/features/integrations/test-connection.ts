/** Tests whether a service answers and accepts the secret. */
import type { Hearth } from '#core/hearth.ts'
import { OutboundError, type OutboundResponse } from '#lib/outbound/outbound.ts'
import { arrayOf, objectOf, textOf } from '#lib/json-value.ts'
import { SECOND } from '#lib/time.ts'
import { findProvider, type ModelProviderConfig } from './catalogue.ts'
import { configOf } from './integration-record.ts'
import {
  addressBelow,
  integrationClient,
  modelEndpoint,
  type ModelEndpoint,
  type Wire,
} from './outbound.ts'
import type { ConnectionTest } from './schema.ts'
import { readSecret } from './secret.ts'
import type { IntegrationRow } from './store.ts'

const MAX_TEST_MS = 10 * SECOND
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_LISTED_MODELS = 200
const MAX_NAME_CHARS = 200

type Target = Pick<IntegrationRow, 'provider' | 'config' | 'secret'>

export const WIRE_HEADERS = {
  'user-agent': 'hearth',
  accept: 'application/json',
} as const

/** The headers of a call to a model provider. */
export function modelHeaders(wire: Wire, secret: string): Record<string, string> {
  if (wire === 'messages')
    return {
      ...WIRE_HEADERS,
      'anthropic-version': '2023-06-01',
      ...(secret === '' ? {} : { 'x-api-key': secret }),
    }
  if (wire === 'generate_content')
    return { ...WIRE_HEADERS, ...(secret === '' ? {} : { 'x-goog-api-key': secret }) }
  return { ...WIRE_HEADERS, ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }) }
}

/** The interface that a model provider speaks. */
export function wireOf(provider: string, config: Pick<ModelProviderConfig, 'wire'>): Wire {
  if (provider === 'local') return config.wire ?? 'chat_completions'
  return provider === 'messages' || provider === 'generate_content' ? provider : 'chat_completions'
}

const send = (
  hearth: Hearth,
  { url, ...socket }: ModelEndpoint,
  headers: Record<string, string>,
  body?: string,
): Promise<OutboundResponse> =>
  integrationClient(hearth).request(url, {
    ...socket,
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
    timeoutMs: MAX_TEST_MS,
    maxBytes: MAX_ANSWER_BYTES,
    truncate: true,
  })

type Answer = { readonly status: number; readonly models: readonly string[] | null }

/** The names in a list of models, in the form of OpenAI and Anthropic or in that of Google. */
function namesIn(body: Uint8Array): string[] | null {
  try {
    const { data, models } = objectOf(JSON.parse(new TextDecoder().decode(body)))
    const names = [...arrayOf(data), ...arrayOf(models)].flatMap((one) => {
      const { id, name } = objectOf(one)
      const text = (textOf(id) ?? textOf(name) ?? '').replace(/^models\//, '')
      return text === '' || text.length > MAX_NAME_CHARS ? [] : text
    })
    return [...new Set(names)].sort().slice(0, MAX_LISTED_MODELS)
  } catch {
    // A list that is cut, or none.
    return null
  }
}

/** Lists the models; a service without a list is asked for an answer of one token. */
async function askModels(hearth: Hearth, target: Target, secret: string): Promise<Answer> {
  const config = configOf(target) as ModelProviderConfig
  const wire = wireOf(target.provider, config)
  const headers = modelHeaders(wire, secret)
  const listed = await send(hearth, modelEndpoint(config.base_url, '/models', wire), headers)
  const { status } = listed
  const answer = { status, models: status === 200 ? namesIn(listed.body) : null }
  const [first] = config.models ?? []
  if ((status !== 404 && status !== 405 && status !== 501) || !first) return answer
  if (wire === 'generate_content') return answer
  const call = { model: first.id, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }
  const path = wire === 'messages' ? '/messages' : '/chat/completions'
  const endpoint = modelEndpoint(config.base_url, path, wire)
  return { ...answer, status: (await send(hearth, endpoint, headers, JSON.stringify(call))).status }
}

async function ask(hearth: Hearth, target: Target, secret: string): Promise<Answer> {
  const provider = findProvider(target.provider)
  const fine = { status: 200, models: null }
  if (provider === null) return fine
  if (provider.kind === 'model_provider') return askModels(hearth, target, secret)
  if (provider.probe === null) return fine
  const config = configOf(target)
  const probe = provider.probe(config, secret)
  const base = typeof config.base_url === 'string' ? config.base_url : probe?.base
  if (probe === null || base === undefined) return fine
  const headers = { ...WIRE_HEADERS, ...probe.headers }
  const { status } = await send(
    hearth,
    { url: addressBelow(base, probe.path) },
    headers,
    probe.body,
  )
  return { status, models: null }
}

function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status === 401 || status === 403) return `the service refused the secret (status ${status})`
  if (status === 404) return 'nothing is at this address (status 404); check the address'
  return `the service answered with status ${status}`
}

/** `models` are those that a model provider lists; null where it has not said. */
export type Tested = Omit<ConnectionTest, 'speed'> & { readonly models: readonly string[] | null }

/** Never throws for what the service does. */
export async function testConnection(hearth: Hearth, target: Target): Promise<Tested> {
  const secret = readSecret(hearth, target)
  if (secret === null)
    return {
      ok: false,
      latency_ms: null,
      error: 'the secret cannot be read with the key of this installation; enter it again',
      models: null,
    }
  const begin = performance.now()
  try {
    const { status, models } = await ask(hearth, target, secret)
    const error = refusalOf(status)
    const latency_ms = Math.round(performance.now() - begin)
    return { ok: error === null, latency_ms, error, models }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return {
      ok: false,
      latency_ms: null,
      error: error.message.replaceAll('outbound.allow', 'integrations.allow'),
      models: null,
    }
  }
}
