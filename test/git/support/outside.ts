/** The transport of the forge, allowed to make unencrypted requests to this machine. */
import type { Transport } from '#git'
import { OutboundClient, parseOutboundRules } from '#lib/outbound/outbound.ts'

const client = new OutboundClient(parseOutboundRules(['http://127.0.0.1']))

export const outside =
  (options: { maxBytes?: number; idle?: number } = {}): Transport =>
  async (request) => {
    const answer = await client.open(new URL(request.url), {
      method: request.method,
      headers: request.headers,
      body: request.body,
      timeoutMs: 60_000,
      idleTimeoutMs: options.idle ?? 20_000,
      maxBytes: options.maxBytes ?? 2 ** 32,
      ...(request.redirect ? { redirects: 3 } : {}),
      ...(request.signal ? { signal: request.signal } : {}),
    })
    return {
      status: answer.status,
      header: (name) => answer.headers[name] ?? null,
      url: answer.url.href,
      body: answer.body,
    }
  }
