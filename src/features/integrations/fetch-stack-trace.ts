/** Asks an error tracker for the last event of an error. */
import type { Hearth } from '#core/hearth.ts'
import { isObject, textOf, type JsonObject } from '#lib/json-value.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { parseJson } from '#lib/parse-json.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { SENTRY_URL } from './catalogue.ts'
import { configOf } from './integration-record.ts'
import { addressBelow, integrationClient } from './outbound.ts'
import { readSecret } from './secret.ts'
import { readStackTrace, type StackTrace } from './stack-trace.ts'
import type { IntegrationRow } from './store.ts'

const MAX_FETCH_MS = 10 * SECOND
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

/** Where an error is in the interface of its service; null when the settings do not say. */
export function errorAddress(
  provider: string,
  config: JsonObject,
  id: string,
): { readonly base: string; readonly path: string } | null {
  const base = textOf(config.base_url)
  const organization = textOf(config.organization)
  if (provider === 'glitchtip') return base === null ? null : { base, path: `/api/0/issues/${id}/` }
  if (provider !== 'sentry' || organization === null) return null
  return {
    base: base ?? SENTRY_URL,
    path: `/api/0/organizations/${organization}/issues/${id}/`,
  }
}

/**
 * The stack trace of the last event of an error. Null when it has none, when the integration has no
 * token for its service, and when the service does not answer.
 */
export async function fetchStackTrace(
  hearth: Hearth,
  integration: IntegrationRow,
  id: string,
  signal?: AbortSignal,
): Promise<StackTrace | null> {
  const secret = readSecret(hearth, integration)
  const address = errorAddress(integration.provider, configOf(integration), id)
  if (address === null || secret === null || secret === '') return null
  try {
    const { status, body } = await integrationClient(hearth).request(
      addressBelow(address.base, `${address.path}events/latest/`),
      {
        method: 'GET',
        headers: {
          'user-agent': 'hearth',
          accept: 'application/json',
          authorization: `Bearer ${secret}`,
        },
        timeoutMs: MAX_FETCH_MS,
        maxBytes: MAX_ANSWER_BYTES,
        ...(signal ? { signal } : {}),
      },
    )
    const event = status === 200 ? parseJson(body) : null
    return isObject(event) ? readStackTrace(event) : null
  } catch (error) {
    // What a service answers badly is as if it had not answered.
    if (error instanceof OutboundError || error instanceof Refusal) return null
    throw error
  }
}
