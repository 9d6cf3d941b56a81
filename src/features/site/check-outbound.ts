import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { OutboundError, parseOutboundRules, requestOutside } from '#lib/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { outboundTrouble } from './outbound-trouble.ts'

/**
 * As webhooks, imports and mirrors reach it: the same rules, the same checks of addresses and
 * certificates.
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
      const { status } = await requestOutside(url, {
        rules: parseOutboundRules(hearth.settings.outbound_allow),
        method: 'HEAD',
        timeout: 10 * SECOND,
        maxBytes: 65_536,
        cut: true,
        signal,
        headers: { 'user-agent': `hearth/${hearth.settings.version}` },
      })
      return {
        reached: true,
        detail: `${url.host} answered ${status} in ${Math.round(performance.now() - started)} ms.`,
      }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return { reached: false, detail: outboundTrouble(error, url) }
    }
  },
})
