/** The addresses of the model gateway, below `/model/v1` and, of Google's interface, `/model/v1beta`. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { chatClient } from '../wires/chat-client.ts'
import type { ClientWire } from '../wires/client.ts'
import { messagesClient } from '../wires/messages-client.ts'
import { responsesClient } from '../wires/responses-client.ts'
import { generateClient } from '../wires/generate-client.ts'
import { serveEmbeddings } from './embeddings.ts'
import { errorResponse } from './gateway-errors.ts'
import { serveGenerate } from './generate.ts'
import { countTokens, serveModelList } from './model-list.ts'
import { serveModel } from './serve.ts'

type Serve = (hearth: Hearth, http: ProtocolRequest) => Response | Promise<Response>

const BASE = '/model/v1'

const route = (
  path: string,
  { method = 'POST', client }: { method?: string; client?: ClientWire },
  serve: Serve,
): ProtocolRoute => ({
  path: `${BASE}${path}`,
  handle: async (hearth, http) => {
    const isAnthropic = http.request.headers.has('anthropic-version')
    const writer = client ?? (isAnthropic ? messagesClient : chatClient)
    try {
      if (http.request.method !== method)
        throw new Refusal('method_not_allowed', `this address takes ${method}`, {
          headers: { allow: method },
        })
      return await serve(hearth, http)
    } catch (error) {
      return errorResponse(hearth, http, writer, error)
    }
  },
})

const calls = (path: string, client: ClientWire): ProtocolRoute =>
  route(path, { client }, (hearth, http) => serveModel(hearth, http, client))

/** Google's clients use either version; those of others read single models at the first. */
const generate = (base: string, path: string): ProtocolRoute => ({
  path: `${base}${path}`,
  handle: async (hearth, http) => {
    try {
      return await serveGenerate(hearth, http, base)
    } catch (error) {
      const isGoogle = base !== BASE || http.path.includes(':')
      const isAnthropic = http.request.headers.has('anthropic-version')
      const writer = isGoogle ? generateClient(false) : isAnthropic ? messagesClient : chatClient
      return errorResponse(hearth, http, writer, error)
    }
  },
})

const notFound: Serve = (_, { path }) => {
  throw new Refusal('not_found', `${path.slice(0, 200)} is not an address of the model gateway`)
}

export const gatewayRoutes: readonly ProtocolRoute[] = [
  route('/models', { method: 'GET' }, serveModelList),
  calls('/chat/completions', chatClient),
  calls('/responses', responsesClient),
  calls('/messages', messagesClient),
  route('/messages/count_tokens', { client: messagesClient }, countTokens),
  route('/embeddings', {}, serveEmbeddings),
  generate(BASE, '/models/*'),
  generate(`${BASE}beta`, '/*'),
  {
    path: `${BASE}/*`,
    handle: (hearth, http) =>
      route('', { method: http.request.method }, notFound).handle(hearth, http),
  },
]
