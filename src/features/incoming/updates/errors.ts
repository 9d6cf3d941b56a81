/** Tells Sentry and GlitchTip what becomes of their errors. */
import { SENTRY_URL } from '#features/integrations/index.ts'
import { textOf } from '#lib/json-value.ts'
import { lacksSecret, NothingToTell, type Ask, type Receiver, type Update } from './receiver.ts'

const bearer = (_: unknown, secret: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
})

const lacksToken = lacksSecret('an access token with event:write')

async function tell(ask: Ask, update: Update, path: string): Promise<void> {
  if (update.kind === 'comment')
    return void (await ask({
      method: 'POST',
      path: `${path}comments/`,
      body: { text: update.text },
    }))
  const status = update.open
    ? 'unresolved'
    : update.reason === 'not_planned'
      ? 'ignored'
      : 'resolved'
  await ask({ method: 'PUT', path, body: { status } })
}

export const sentry: Receiver = {
  base: (config) => textOf(config.base_url) ?? SENTRY_URL,
  headers: bearer,
  lacks: (config, hasSecret) =>
    textOf(config.organization) === null ? 'the organization' : lacksToken(config, hasSecret),
  send: async (ask, update, { fingerprint, config }) => {
    const [, id] = /^issue (\d{1,20})$/.exec(fingerprint) ?? []
    if (id === undefined) throw new NothingToTell('alerts of metrics end by themselves')
    const organization = textOf(config.organization) ?? ''
    await tell(ask, update, `/api/0/organizations/${organization}/issues/${id}/`)
  },
}

export const glitchtip: Receiver = {
  base: (config) => textOf(config.base_url),
  headers: bearer,
  lacks: (config, hasSecret) =>
    textOf(config.base_url) === null ? 'the address of GlitchTip' : lacksToken(config, hasSecret),
  send: async (ask, update, { fingerprint }) => {
    const [, id] = /\/issues\/(\d{1,20})(?:[/?#]|$)/.exec(fingerprint) ?? []
    if (id === undefined) throw new NothingToTell('the service gave this error no number')
    await tell(ask, update, `/api/0/issues/${id}/`)
  },
}
