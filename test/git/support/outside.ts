/** The real transport of the forge, allowed to reach this machine in the clear. */
import type { Transport } from '#git'
import { parseOutboundRules } from '#lib/outbound.ts'
import { openOutside } from '#lib/outbound-stream.ts'

const rules = parseOutboundRules(['http://127.0.0.1'])

export const outside =
  (options: { maxBytes?: number; idle?: number } = {}): Transport =>
  async (request) => {
    const answer = await openOutside(new URL(request.url), {
      rules,
      method: request.method,
      headers: request.headers,
      body: request.body,
      timeout: 60_000,
      idle: options.idle ?? 20_000,
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
