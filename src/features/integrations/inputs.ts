/** Inputs of integrations. */
import { Value } from 'typebox/value'
import { invalidInput } from '#core/input-errors.ts'
import { FreeForm, mustBe, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { socketOf } from '#lib/outbound/outbound.ts'
import type { Provider } from './catalogue.ts'

const MAX_CONFIG_LENGTH = 64 * 1024

export const IntegrationName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  ...mustBe('text'),
  description: 'What people call it.',
})
export const Config = FreeForm({
  description: 'As config_schema of the provider in the catalogue says, such as base_url.',
})
export const Secret = Type.String({
  maxLength: 8192,
  pattern: '^[\\x21-\\x7e]*$',
  ...mustBe('printable ASCII characters without spaces'),
  description: 'The key or token of the service; stored encrypted and never shown.',
})
export const IntegrationId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an integration.',
})

/** The checked configuration as JSON. Throws 422 that names the first wrong field. */
export function readConfig(provider: Provider, config: Record<string, unknown>): string {
  requireKnownFields(provider, config)
  if (!Value.Check(provider.config, config))
    throw invalidInput(provider.config, Value.Errors(provider.config, config), 'config')
  requirePlainAddress(config.base_url)
  const text = JSON.stringify(config)
  if (text.length > MAX_CONFIG_LENGTH) throw invalid('config', 'config is longer than 64 KiB')
  return text
}

/** Throws 422 for a required field that is missing, and for one that the provider does not have. */
function requireKnownFields(provider: Provider, config: Record<string, unknown>): void {
  const known = Object.keys(provider.config.properties)
  const required = (provider.config as { required?: readonly string[] }).required ?? []
  const missing = required.find((name) => config[name] === undefined)
  if (missing !== undefined)
    throw invalid(`config.${missing}`, `config.${missing} is required for ${provider.title}`)
  const unknown = Object.keys(config).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid(
      `config.${unknown}`.slice(0, 200),
      `config of ${provider.title} has ${known.join(', ')}, not ${JSON.stringify(unknown.slice(0, 60))}`,
      { reason: 'unknown_input' },
    )
}

/** Throws 422 for an address that cannot be read, or that contains credentials or a query. */
function requirePlainAddress(address: unknown): void {
  if (typeof address !== 'string' || socketOf(address) !== null) return
  const url = URL.parse(address)
  if (!url || url.hostname === '')
    throw invalid(
      'config.base_url',
      'config.base_url must be an address such as https://example.com/v1',
    )
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid(
      'config.base_url',
      'config.base_url must not contain a user name, a password, a query or a fragment',
    )
}
