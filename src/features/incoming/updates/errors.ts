/** Tells Sentry and GlitchTip what becomes of their errors. */
import { SENTRY_URL } from '#features/integrations/index.ts'
import { objectOf, textOf } from '#lib/json-value.ts'
import type { Timestamp } from '#lib/time.ts'
import { errorIdOf } from '../senders/errors.ts'
import {
  hasComment,
  lacksSecret,
  NothingToTell,
  type Ask,
  type Receiver,
  type Update,
} from './receiver.ts'

const bearer = (_: unknown, secret: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
})

const lacksToken = lacksSecret('an access token with event:write')

async function tell(
  ask: Ask,
  update: Update,
  { path, mayBeThereSince }: { path: string; mayBeThereSince: Timestamp | null },
): Promise<void> {
  if (update.kind === 'comment') {
    const comments = `${path}comments/`
    const isThere =
      mayBeThereSince !== null &&
      (await hasComment(ask, update.marker, {
        // The newest come first, on pages that only a header names.
        request: (page) => (page === 0 ? { path: comments } : null),
        textsOf: (answer) =>
          Array.isArray(answer)
            ? answer.map((comment) => objectOf(objectOf(comment).data).text)
            : null,
      }))
    if (!isThere) await ask({ method: 'POST', path: comments, body: { text: update.text } })
    return
  }
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
  send: async (ask, update, { fingerprint, config, mayBeThereSince }) => {
    const id = errorIdOf('sentry', fingerprint)
    if (id === null) throw new NothingToTell('alerts of metrics end by themselves')
    const organization = textOf(config.organization) ?? ''
    const path = `/api/0/organizations/${organization}/issues/${id}/`
    await tell(ask, update, { path, mayBeThereSince })
  },
}

export const glitchtip: Receiver = {
  base: (config) => textOf(config.base_url),
  headers: bearer,
  lacks: (config, hasSecret) =>
    textOf(config.base_url) === null ? 'the address of GlitchTip' : lacksToken(config, hasSecret),
  send: async (ask, update, { fingerprint, mayBeThereSince }) => {
    const id = errorIdOf('glitchtip', fingerprint)
    if (id === null) throw new NothingToTell('the service gave this error no number')
    await tell(ask, update, { path: `/api/0/issues/${id}/`, mayBeThereSince })
  },
}
