/** Tells any program as JSON what becomes of its issues. */
import { hmacSha256 } from '#lib/hash.ts'
import { textOf } from '#lib/json-value.ts'
import type { Receiver, Update } from './receiver.ts'

const factsOf = (update: Update) =>
  update.kind === 'comment'
    ? { text: update.text }
    : { state: update.open ? 'open' : 'closed', reason: update.open ? null : update.reason }

export const anyReceiver: Receiver = {
  base: (config) => textOf(config.update_url),
  headers: () => ({}),
  lacks: (config) =>
    textOf(config.update_url) === null ? 'an address where changes are sent' : null,
  send: async (ask, update, { fingerprint, issue, signingSecret, id }) => {
    const body = JSON.stringify({ kind: update.kind, id: fingerprint, ...factsOf(update), issue })
    const digest =
      signingSecret === null ? null : Buffer.from(hmacSha256(signingSecret, body)).toString('hex')
    await ask({
      method: 'POST',
      path: '',
      headers: {
        'idempotency-key': id,
        ...(digest === null ? {} : { 'x-hub-signature-256': `sha256=${digest}` }),
      },
      body,
    })
  },
}
