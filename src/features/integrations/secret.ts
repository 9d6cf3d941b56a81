/** The secret of an integration, stored encrypted and decrypted only to connect. */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'
import type { IntegrationRow } from './store.ts'

const PURPOSE = 'integration secret'

export const encryptSecret = (hearth: Hearth, secret: string): string =>
  seal(hearth, PURPOSE, secret)

/**
 * Decrypts a secret; empty when there is none. Null when another installation encrypted it, as
 * after a restore without the key.
 */
export const readSecret = (
  hearth: Hearth,
  { secret }: Pick<IntegrationRow, 'secret'>,
): string | null => (secret === null ? '' : unseal(hearth, PURPOSE, secret))
