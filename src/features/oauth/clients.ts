/**
 * Who asks for access: a client that registered here, or one that is described at its own address.
 */
import type { Hearth } from '#core/hearth.ts'
import { readClientId } from './client-ids.ts'
import { clientDocument, isDocumentAddress } from './client-documents.ts'
import { oauthError } from './errors.ts'

export type Client = {
  readonly client_id: string
  readonly name: string
  /**
   * Where the client describes itself; null for a registered one, whose name is only what it says.
   */
  readonly url: string | null
  /** The issuer that it was registered with; null when any of ours may answer it. */
  readonly issuer: string | null
  readonly redirect_uris: readonly string[]
}

/** The names that this server has as an issuer (RFC 8414): the site, and the REST API. */
export const issuersOf = ({ settings }: Pick<Hearth, 'settings'>): readonly string[] => [
  settings.site_url,
  settings.base_url,
]

/** The client of an id that was registered here. Gives `invalid_client` for any other text. */
export async function registeredClient(hearth: Hearth, client_id: string): Promise<Client> {
  const registration = await readClientId(hearth, client_id)
  if (!registration)
    throw oauthError(
      'invalid_client',
      'this client id was not issued here, or it was changed; register again',
    )
  if (!issuersOf(hearth).includes(registration.issuer))
    throw oauthError(
      'invalid_client',
      `this client id was issued by ${registration.issuer}, which is not here; register again`,
    )
  return {
    client_id,
    name: registration.name,
    url: null,
    issuer: registration.issuer,
    redirect_uris: registration.redirect_uris,
  }
}

/** The client of any id. Gives `invalid_client`. A document is fetched when it is not known yet. */
export async function clientOf(
  hearth: Hearth,
  client_id: string,
  signal?: AbortSignal,
): Promise<Client> {
  if (!isDocumentAddress(client_id)) return registeredClient(hearth, client_id)
  const { name, redirect_uris } = await clientDocument(hearth, client_id, { signal })
  return { client_id, name, url: client_id, issuer: null, redirect_uris }
}
