import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { outboundClient } from '#core/outbound.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { diagnoseOutboundError } from './diagnose-outbound-error.ts'

/**
 * Uses the same rules and checks of addresses and certificates as webhooks, imports and mirrors.
 */
export const checkOutbound = operation({
  name: 'check_outbound',
  summary:
    'Try to reach an address as webhooks and imports would, and say what is wrong. For site administrators, people only.',
  route: null,
  access: siteAdmin(),
  input: Type.Object({
    url: Type.String({ minLength: 8, maxLength: 2000, description: 'An https address.' }),
  }),
  output: Type.Object({ reached: Type.Boolean(), detail: Type.String() }),

  handler: async ({ hearth, signal }, { url: text }) => {
    if (!URL.canParse(text))
      throw invalid('url', 'url must be an address such as https://example.com/')
    const url = new URL(text)
    const started = performance.now()
    try {
      const { status } = await outboundClient(hearth).request(url, {
        method: 'HEAD',
        timeoutMs: 10 * SECOND,
        maxBytes: 65_536,
        truncate: true,
        signal,
        headers: { 'user-agent': `hearth/${hearth.settings.version}` },
      })
      return {
        reached: true,
        detail: `${url.host} answered ${status} in ${Math.round(performance.now() - started)} ms.`,
      }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return { reached: false, detail: diagnoseOutboundError(error, url) }
    }
  },
})
