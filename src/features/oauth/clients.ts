/** OAuth clients: registered here, or described at their own URL. */
import type { Hearth } from '#core/hearth.ts'
import { readClientId } from './client-ids.ts'
import { clientDocument, isDocumentAddress } from './client-documents.ts'
import { oauthError } from './errors.ts'

export type Client = {
  readonly client_id: string
  readonly name: string
  /**
   * The URL of the client's own document. Null for a registered client, whose name is unverified.
   */
  readonly url: string | null
  /** The issuer that the client registered with. Null when any issuer of this site may respond. */
  readonly issuer: string | null
  readonly redirect_uris: readonly string[]
}

/** The issuer identifiers of this server (RFC 8414): the site and the REST API. */
export const issuersOf = ({ settings }: Pick<Hearth, 'settings'>): readonly string[] => [
  settings.site_url,
  settings.base_url,
]

/** The client of a registered id. Throws `invalid_client` for any other text. */
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

/**
 * The client of any id. Fetches the document of a client when it is not cached. Throws
 * `invalid_client`.
 */
export async function clientOf(
  hearth: Hearth,
  client_id: string,
  signal?: AbortSignal,
): Promise<Client> {
  if (!isDocumentAddress(client_id)) return registeredClient(hearth, client_id)
  const { name, redirect_uris } = await clientDocument(hearth, client_id, { signal })
  return { client_id, name, url: client_id, issuer: null, redirect_uris }
}
