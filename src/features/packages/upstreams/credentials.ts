/** The secret of an upstream, stored encrypted and decrypted only to ask the registry. */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { UpstreamRow } from './store.ts'

const purposeOf = (id: string): string => `package upstream ${id}`

export const sealSecret = (hearth: Hearth, id: string, secret: string): string =>
  seal(hearth, purposeOf(id), secret)

export type Credentials = { readonly username: string | null; readonly secret: string }

/** Null without a secret. Throws 503 for one that another installation encrypted. */
export function openCredentials(
  hearth: Hearth,
  { id, username, secret }: Pick<UpstreamRow, 'id' | 'username' | 'secret'>,
): Credentials | null {
  if (secret === null) return null
  const opened = unseal(hearth, purposeOf(id), secret)
  if (opened === null)
    throw new Refusal(
      'unavailable',
      'the secret of the upstream cannot be read with this installation key: an owner has to set it again',
    )
  return { username, secret: opened }
}

export const basicAuthorization = ({ username, secret }: Credentials): string =>
  `Basic ${Buffer.from(`${username ?? ''}:${secret}`).toString('base64')}`

/** The value of the header `Authorization`: a password of a user, or a token. */
export const authorizationOf = (credentials: Credentials | null): string | null => {
  if (credentials === null) return null
  return credentials.username === null
    ? `Bearer ${credentials.secret}`
    : basicAuthorization(credentials)
}
