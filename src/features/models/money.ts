/** Prices of calls, in millionths of a US dollar. A price per million tokens is one per token. */
import type { ProviderModel } from '#features/integrations/index.ts'
import type { Usage } from './wires/events.ts'

export type Prices = Pick<
  ProviderModel,
  'usd_per_million_input' | 'usd_per_million_cached_input' | 'usd_per_million_output'
>

export const MICRO = 1_000_000
export const toMicro = (usd: number): number => Math.round(usd * MICRO)
export const toUsd = (micro: number): number => micro / MICRO

/** Bytes of JSON or text for one token, on the low side for estimates that must not be too low. */
const BYTES_PER_TOKEN = 3.5

export const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)
export const bytesOf = (tokens: number): number => Math.floor(tokens * BYTES_PER_TOKEN)

/** What tokens cost. Cached input has the price of input unless it has one of its own. */
export function costOf(
  { usd_per_million_input: input = 0, usd_per_million_output: output = 0, ...rest }: Prices,
  usage: Usage,
): number {
  const cached = Math.min(usage.cached, usage.input)
  return Math.ceil(
    (usage.input - cached) * input +
      cached * (rest.usd_per_million_cached_input ?? input) +
      usage.output * output,
  )
}

/** Whether anybody has entered what a model costs; 0 is a price too. */
export const hasPrice = (prices: Prices): boolean =>
  prices.usd_per_million_input !== undefined || prices.usd_per_million_output !== undefined
